/** Stacks of both sides as a file for speedscope, which draws flame graphs (https://www.speedscope.app/file-format-schema.json). */
import type { SampledStacks } from "../../compare/profile.js";
import type { Frame, Stack } from "../../compare/profile-stacks.js";
import type { SampledProfile } from "../../results/profile.js";
import { rowText } from "./text.js";

const SCHEMA = "https://www.speedscope.app/file-format-schema.json";

/** Each side is a profile; the unit is a sample. */
export function speedscopeText(profile: Pick<SampledProfile, "id" | "connections">, stacks: SampledStacks): string {
  const numbers = new Map<string, number>();
  const frames: Frame[] = [];
  const number = (frame: Frame): number => {
    const key = JSON.stringify([frame.name, frame.file, frame.line]);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, frames.length);
    return frames.push(frame) - 1;
  };
  const sampled = (name: string, of: readonly Stack[]) => ({
    type: "sampled",
    name,
    unit: "none",
    startValue: 0,
    endValue: of.reduce((sum, { samples }) => sum + samples, 0),
    samples: of.map((stack) => stack.frames.map(number)),
    weights: of.map(({ samples }) => samples),
  });
  const name = rowText(profile);
  const profiles = [sampled(`${name}, base`, stacks.base), sampled(`${name}, head`, stacks.head)];
  return `${JSON.stringify({ $schema: SCHEMA, name, exporter: "server-bench", activeProfileIndex: 0, shared: { frames }, profiles })}\n`;
}
