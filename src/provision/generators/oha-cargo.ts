/** oha built from its crate. */
import { join } from "node:path";
import { duration } from "../../messages/duration.js";
import { discard, temporarySibling } from "../cache/cache.js";
import { type ProvisionContext, secondsSince } from "../context.js";
import { runTool } from "../tools/run-tool.js";

const UPDATE_MS = 1000;

/** Of oha's crates, those that run for every request. */
const PER_REQUEST = ["oha", "tokio", "mio", "hyper", "hyper-util", "h2", "http", "http-body-util", "bytes", "kanal"];

/** A quicker build: 2 min 37 s instead of 3 min 37 s on two CPUs. It sends as many requests. */
const QUICK_BUILD = [
  "opt-level=1",
  'panic="abort"',
  "package.libsqlite3-sys.opt-level=0",
  ...PER_REQUEST.map((crate) => `package.${crate}.opt-level=3`),
].flatMap((setting) => ["--config", `profile.release.${setting}`]);

/**
 * Builds oha beside `folder` (under three minutes on two CPUs). What was compiled stays in the cache until it is done, so
 * that a build that was interrupted continues where it was.
 * @returns the program, and the folder to discard once the program was moved away.
 * @throws SetupError or Error with the reason.
 */
export async function buildWithCargo(
  context: ProvisionContext,
  request: { readonly step: string; readonly version: string; readonly folder: string },
): Promise<{ readonly path: string; readonly origin: string; readonly root: string }> {
  const root = temporarySibling(request.folder);
  const target = `${request.folder}.build`;
  const report = reportCrates(context, request.step);
  try {
    await runTool(context, {
      step: `building oha ${request.version}`,
      command: ["cargo", "install", "oha", "--version", request.version, "--locked", "--root", root, ...QUICK_BUILD],
      env: { CARGO_TARGET_DIR: target, CARGO_TERM_PROGRESS_WHEN: "always", CARGO_TERM_PROGRESS_WIDTH: "100" },
      remedy: cargoRemedy,
      onLine: report.onLine,
    });
  } catch (error) {
    await discard(root);
    throw error;
  } finally {
    report.stop();
  }
  await discard(target);
  return { path: join(root, "bin", "oha"), origin: `cargo install oha --version ${request.version} --locked`, root };
}

/** Reports every second how far it is: the last crate prints nothing for most of a minute. */
function reportCrates(context: ProvisionContext, step: string): { onLine: (line: string) => void; stop: () => void } {
  const started = performance.now();
  let crates = "downloading crates";
  const update = (): void => context.progress.update(step, `${crates}, ${duration(secondsSince(started))}`);
  const timer = setInterval(update, UPDATE_MS);
  return {
    onLine: (line) => {
      const [, done, all] = /\]\s+(\d+)\/(\d+)/.exec(line) ?? [];
      if (done !== undefined) crates = `${done} of ${all} crates`;
    },
    stop: () => {
      clearInterval(timer);
      update();
    },
  };
}

function cargoRemedy(log: string): string {
  if (/requires rustc|rustc [\d.]+ is not supported|edition20\d\d|lock file version/i.test(log))
    return "the Rust toolchain is too old: update it with `rustup update` (https://rustup.rs)";
  if (/linker .* not found|failed to find tool|is `?(cmake|cc|nasm)/i.test(log))
    return "a C toolchain is missing: apt-get install build-essential cmake";
  if (/could not resolve|failed to (download|fetch)|timed out|network|Couldn't connect/i.test(log))
    return "the crates registry cannot be reached: check the network, or the registry that cargo is configured for";
  return "see the last lines of its output";
}
