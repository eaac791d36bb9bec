/** A row that was sampled. */
import type { SampledProfile } from "../../src/results/profile.js";

export function sampledProfile(): SampledProfile {
  return {
    state: "sampled",
    id: "mine/slow",
    connections: 16,
    ratePerSec: 5230,
    sampler: "py-spy 0.4.3",
    base: { processes: 3, samples: 875, requests: 86_278, cpuPerRequestUs: 70.57 },
    head: { processes: 3, samples: 1251, requests: 86_284, cpuPerRequestUs: 72.11 },
    functions: [
      { name: "planted", file: "app.py", line: 4, baseUs: 0.403, headUs: 4.03, differenceUs: 3.63, errorUs: 1.489 },
      { name: "", file: "granian/_granian.so", baseUs: 9.1, headUs: 6.4, differenceUs: -2.7, errorUs: 1.2 },
    ],
  };
}
