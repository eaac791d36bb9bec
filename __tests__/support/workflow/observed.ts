/** What a person sees of a workflow's run, in words that are the same in every run. */
import type { JobEnd } from "./runner.js";
import { type EventCase, STATES } from "./world.js";

export interface Observed extends EventCase {
  /** `measure: success` */
  readonly jobs: readonly string[];
  /** Artifacts, in the order of their upload; those that were there before are left out. */
  readonly stored: readonly string[];
  readonly comment: Lead | undefined;
  readonly summary: Lead | undefined;
}

/** What a comment or a summary begins with. */
export interface Lead {
  readonly says: "verdicts" | "figures" | "not comparable" | "answer" | "stopped" | "other";
  /** Above the tables: why there is no verdict, what is missing. */
  readonly notes: readonly string[];
}

export function jobsOf(ends: readonly JobEnd[]): string[] {
  const counted = new Map<string, number>();
  for (const { name, result } of ends) counted.set(`${name}: ${result}`, (counted.get(`${name}: ${result}`) ?? 0) + 1);
  return [...counted].map(([text, count]) => (count === 1 ? text : `${text} (${count})`));
}

export function leadOf(markdown: string): Lead | undefined {
  if (markdown.trim() === "") return undefined;
  const answer = /^(?:Started|Refused|Ignored)[^\n]*$/.exec(markdown.trim());
  if (answer) return { says: "answer", notes: [steady(answer[0])] };
  const [above = ""] = markdown.split(/<details|^\| /m);
  const bold = /^\*\*.*$/m.exec(above)?.[0] ?? "";
  const noted = above.matchAll(/^(?:- )?(\*\*Nothing to compare with:.*|(?<=- ).*)$/gm);
  const notes = [...noted].map(([, note = ""]) => steady(note));
  const says = KINDS.find(([, begins]) => begins.test(bold))?.[0] ?? "other";
  // Beside verdicts, other notes depend on the noise of the machine.
  const steadyOnes = notes.filter((note) => says !== "verdicts" || /^(?:\*\*)?Not (?:comparable|measured)/.test(note));
  return { says, notes: steadyOnes };
}

/** How the first bold line begins. */
const KINDS = [
  ["verdicts", /^\*\*(?:No change found in \d+ benchmarks?\b|No benchmark could be decided|\d+ of \d+ benchmarks? )/],
  ["figures", /^\*\*(?:\d+ benchmarks?: \d+ with |\d+ benchmarks? of \d+ sets? measured)/],
  ["figures", /^\*\*Nothing to compare with:/],
  ["not comparable", /^\*\*Not comparable with base\./],
  ["stopped", /^\*\*Stopped before the end:/],
] as const;

/** Without commits and numbers of runs. */
function steady(text: string): string {
  return text
    .replaceAll("\u200b", "")
    .replaceAll(/`?\b(?:[0-9a-f]{40}|[0-9a-f]{12}|[0-9a-f]{7})\b`?/g, "`SHA`")
    .replaceAll(/server-bench-results \(\d+\)/g, "server-bench-results")
    .replaceAll(/\brun \d+\b/g, "run N")
    .trim();
}

/** The page events.golden.md. */
export function eventsPage(observed: readonly Observed[]): string {
  const files = [...new Set(observed.map(({ file }) => file))];
  return [
    "# Every workflow to paste, on every event",
    "",
    "Tests write this page: `__tests__/actions/events` runs each workflow through `dist/action.js` on a double of GitHub,",
    "with the workflow's own inputs, permissions and conditions. Only the load is tiny.",
    "Each cell starts with the kind of result: `verdicts`, `figures` (nothing was compared) or `not comparable`. The reason follows.",
    "",
    ...files.flatMap((file) => ["", `## ${file}`, "", ...tableOf(observed.filter((one) => one.file === file))]),
    "",
  ].join("\n");
}

function tableOf(rows: readonly Observed[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const head = ["Event", "State of the world", "Jobs", "Stored", "Comment or release", "Summary"];
  const cells = rows.map(({ event, state, jobs, stored, comment, summary }) => {
    const kept = stored.map((name) => `\`${name}\``).join("<br>") || "nothing";
    return [`\`${event}\``, STATES[state], jobs.join("<br>"), kept, cellOf(comment), cellOf(summary)];
  });
  return [head, head.map(() => "---"), ...cells].map(line);
}

function cellOf(lead: Lead | undefined): string {
  return lead === undefined ? "none" : [lead.says, ...lead.notes].join("<br>");
}
