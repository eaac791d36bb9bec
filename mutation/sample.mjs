/** Leaves out statements of functions, so that a large folder takes minutes: MUTATION_SHARE (0 to 1) of them stay, the same ones every time. */
import { createHash } from "node:crypto";
import { declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin";

const share = Number(process.env.MUTATION_SHARE ?? 1);

/** A number from 0 to 1 that follows from the statement's text and place. */
function draw(path) {
  const { start, end } = path.node;
  const digest = createHash("sha256").update(`${start} ${end} ${path.node.type}`).digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}

function isSampled(path) {
  return path.isStatement() && !path.isBlockStatement() && path.getFunctionParent() !== null;
}

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, "sample", {
    shouldIgnore: (path) => (isSampled(path) && draw(path) >= share ? "not in the sample" : undefined),
  }),
];
