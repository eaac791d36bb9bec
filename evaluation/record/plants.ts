/** What head's app does beside its work: `cpu:3` is 3 % more CPU time per request, by an empty loop. */
import { InputError } from "../../src/errors.js";

/** Work that every request does, calibrated to per cent of a request's CPU time. */
const WORK = ["cpu", "alternate", "allocation", "syscalls", "cache"] as const;
type WorkKind = (typeof WORK)[number];

export type Plant =
  | { readonly kind: "none" }
  /** `alternate` works only in every second stretch of 0.4 s, the length of a block. */
  | { readonly kind: WorkKind; readonly percent: number }
  /** Of the requests, in per cent; milliseconds that each of them is delayed. */
  | { readonly kind: "stall"; readonly percent: number; readonly ms: number }
  /** Per cent of one CPU, burnt while no request comes. */
  | { readonly kind: "idle"; readonly percent: number };

/** @param spec such as `none`, `cpu:3`, `stall:3:6`, `idle:15` @throws InputError */
export function parsePlant(spec: string): Plant {
  const [kind = "", ...rest] = spec.split(":");
  const [percent = Number.NaN, ms = Number.NaN] = rest.map(Number);
  const isSize = percent > 0 && percent <= 100;
  if (kind === "none" && rest.length === 0) return { kind };
  if (isWork(kind) && isSize && rest.length === 1) return { kind, percent };
  if (kind === "stall" && isSize && ms > 0 && rest.length === 2) return { kind, percent, ms };
  if (kind === "idle" && isSize && rest.length === 1) return { kind, percent };
  throw new InputError(
    `--plants: "${spec}" is no plant: use none, ${WORK.map((one) => `${one}:PERCENT`).join(", ")}, stall:PERCENT:MS or idle:PERCENT`,
  );
}

function isWork(kind: string): kind is WorkKind {
  return WORK.some((one) => one === kind);
}

/** The work whose turns are calibrated, and the share of a request's CPU time that they should take. */
export function calibratedWork(plant: Plant): { readonly kind: WorkKind; readonly share: number } | undefined {
  if (!("percent" in plant) || !isWork(plant.kind)) return undefined;
  return { kind: plant.kind === "alternate" ? "cpu" : plant.kind, share: plant.percent / 100 };
}

/** What the app reads. @param turns of the calibrated work */
export function plantEnvironment(plant: Plant, turns: number): Record<string, string> {
  const { kind } = plant;
  if (kind === "none") return { PLANT: kind };
  if (kind === "idle") return { PLANT: kind, IDLE_SHARE: String(plant.percent / 100) };
  if (kind === "stall")
    return { PLANT: kind, STALL_SHARE: String(plant.percent / 100), STALL_SEC: String(plant.ms / 1000) };
  return { PLANT: kind, TURNS: String(turns) };
}
