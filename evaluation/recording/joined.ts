/** Several recordings of one machine as one. Pure. */
import { InputError } from "../../src/errors.js";
import type { RecordedRow, Recording } from "./recording.js";

interface Named {
  readonly file: string;
  readonly recording: Recording;
}

/** What must be alike for pairs to be drawn from all of them. */
const SAME = ["cpuModel", "cpus"] as const;

/** The first one says when and on what. @throws InputError for recordings of different machines */
export function joinedRecording([first, ...others]: readonly Named[]): Recording {
  if (first === undefined) throw new InputError("a report needs a recording");
  for (const other of others) checkMachine(first, other);
  const all = [first, ...others];
  return {
    ...first.recording,
    notes: [...new Set(all.flatMap(({ recording }) => recording.notes))],
    rows: all.flatMap(({ recording }, i) => recording.rows.map((row) => ({ ...row, builds: buildsOf(row, i) }))),
  };
}

function checkMachine(first: Named, other: Named): void {
  for (const field of SAME) {
    const [one, two] = [first.recording.environment[field], other.recording.environment[field]];
    if (one !== two)
      throw new InputError(`${other.file}: ${field} is ${String(two)}, and ${String(one)} in ${first.file}`);
  }
}

/** Each recording has made builds of its own. */
function buildsOf({ builds }: RecordedRow, recording: number): RecordedRow["builds"] {
  if (recording === 0) return builds;
  return { base: `${builds.base}/${recording + 1}`, head: `${builds.head}/${recording + 1}` };
}
