/** What GitHub hands to a job: variables, the event file, a comment's text, a request, the marker of a comment. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { readAsked } from "../../../src/actions/bench/asked.js";
import { parseCommand } from "../../../src/actions/bench/command.js";
import { commandWords, isCommand } from "../../../src/actions/bench/first-line.js";
import { makeRequest, readRequest } from "../../../src/actions/bench/request.js";
import { formatMarker, parseMarker } from "../../../src/github/comment-marker.js";
import { readJob } from "../../../src/github/job.js";
import { mutatedBytes, mutatedJson } from "../mutate.js";
import { hold, orTyped, orTypedLater, type Target } from "../target.js";
import { hostileText } from "../texts.js";

const SHA = "0f3c2a9d5b7e4c11a2d3e4f5a6b7c8d9e0f1a2b3";
const ENV = {
  ...{ GITHUB_ACTIONS: "true", GITHUB_REPOSITORY: "octo/app", GITHUB_RUN_ID: "77", GITHUB_RUN_ATTEMPT: "2" },
  ...{ GITHUB_API_URL: "https://api.github.com", GITHUB_SERVER_URL: "https://github.com", GITHUB_SHA: SHA },
  GITHUB_WORKFLOW_REF: "octo/app/.github/workflows/bench.yml@refs/heads/main",
  ...{ GITHUB_REF: "refs/pull/7/merge", GITHUB_EVENT_NAME: "pull_request" },
};
const repository = { full_name: "octo/app", default_branch: "main" };
const user = { id: 4, login: "someone", type: "User" };
const side = { sha: SHA, ref: "feature", repo: { full_name: "fork/app" } };
const EVENTS = [
  {
    name: "pull_request",
    payload: {
      action: "labeled",
      repository,
      sender: user,
      label: { name: "bench" },
      pull_request: { number: 7, locked: false, head: side, base: side },
    },
  },
  {
    name: "workflow_run",
    payload: {
      repository,
      workflow_run: {
        ...{ id: 77, run_attempt: 1, event: "pull_request", head_branch: "feature", head_sha: SHA },
        ...{
          head_repository: { full_name: "fork/app" },
          conclusion: "success",
          name: "Bench",
          path: ".github/workflows/bench.yml@main",
        },
      },
    },
  },
  {
    name: "issue_comment",
    payload: {
      ...{ action: "created", repository, issue: { number: 7, locked: false, pull_request: {} } },
      comment: {
        id: 9,
        body: "/bench",
        created_at: "2026-01-01T00:00:00Z",
        updated_at: "2026-01-01T00:00:00Z",
        user,
        performed_via_github_app: null,
      },
    },
  },
  { name: "push", payload: { repository } },
];

/** Variables in the first line, the event file in the rest. */
const events = fc
  .constantFrom(...EVENTS)
  .chain(({ name, payload }) =>
    fc.tuple(
      mutatedJson([{ ...ENV, GITHUB_EVENT_NAME: name }], 2),
      fc.oneof(mutatedJson([payload]), mutatedBytes([JSON.stringify(payload)])),
    ),
  )
  .map(([env, event]) => Buffer.concat([env, Buffer.from("\n"), event]));

async function checkEvent(input: Buffer): Promise<void> {
  const end = input.indexOf("\n");
  const read: unknown = JSON.parse(input.toString("utf8", 0, end).replaceAll("1e999", "0"));
  // A variable is always a text.
  const given = Object.entries(typeof read === "object" && read !== null ? read : {}).map(([name, value]) => [
    name,
    String(value),
  ]);
  const folder = await mkdtemp(join(tmpdir(), "server-bench-fuzz-"));
  try {
    const file = join(folder, "event.json");
    await writeFile(file, input.subarray(end + 1));
    await checkJob({ ...Object.fromEntries(given), GITHUB_EVENT_PATH: file });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkJob(env: Readonly<Record<string, string>>): Promise<void> {
  const job = await orTypedLater(() => readJob(env));
  if (job) {
    hold(/^[0-9a-f]{40}$/.test(job.sha) && Number.isSafeInteger(job.runId), "a job with a wrong commit or run");
    hold(/^[\w.-]+$/.test(job.owner) && /^[\w.-]+$/.test(job.repo), "a job of a wrong repository");
    hold(!/[\s?#]/.test(job.runUrl), "a job with a wrong address");
  }
  const asked = await orTypedLater(() => readAsked(env, "bench"));
  if (asked?.kind === "asked")
    hold(Number.isSafeInteger(asked.pullRequest) && /^[\w-]+$/.test(asked.by.login), "a wrong asker");
}

const commands = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        "confirm",
        "cancel",
        "help",
        SHA,
        SHA.slice(0, 7),
        "12ab",
        "interfaces",
        "interfaces/asgi*",
        "--profile",
        "quick",
        "--profile=quick",
        "--detect",
        "1",
        "--base",
        "--",
        "--server-under-test=x",
        "-o/etc/x",
        "***",
        "a,b",
        "=",
        "*/*",
      ),
    )
    .map((words) => ["/bench", ...words].join(" ")),
  fc.tuple(fc.constantFrom("/bench ", "/bench", " /bench ", "/bench\n"), hostileText).map((parts) => parts.join("")),
  hostileText,
);

function checkCommand(input: Buffer): void {
  const body = input.toString("utf8");
  const words = orTyped(() => commandWords(body));
  if (words === undefined) return;
  hold(isCommand(body), "words of a comment that is no command");
  hold(
    words.every((word) => /^[A-Za-z0-9.,*/_=-]+$/.test(word)),
    "a word with another character",
  );
  const command = orTyped(() => parseCommand(words));
  if (command?.kind !== "measure") return;
  const { commit = SHA } = command;
  const asked = {
    sha: commit.padEnd(40, "0"),
    base: SHA,
    fork: false,
    arguments: [...command.arguments],
    key: "default",
    comment: 1,
    by: "me",
    replace: false,
  };
  const request = makeRequest({ pullRequest: 7, ...asked });
  const read = orTyped(() => readRequest(JSON.stringify(request)));
  hold(read === undefined || JSON.stringify(read) === JSON.stringify(request), "a request that is read as another one");
}

const REQUEST = makeRequest({
  ...{ pullRequest: 7, sha: SHA, base: SHA, fork: true, arguments: ["interfaces", "--profile", "quick"] },
  ...{ key: "default", comment: 9, by: "someone", replace: true },
});

function checkRequest(input: Buffer): void {
  const request = orTyped(() => readRequest(input.toString("utf8")));
  if (!request) return;
  hold(
    /^[0-9a-f]{40}$/.test(request.sha) && request.arguments.every((word) => /^[\w.,*/=-]+$/.test(word)),
    "a wrong request",
  );
}

const MARKER = formatMarker({ key: "default", run: { id: 77, attempt: 2 }, phase: "done" });

function checkMarker(input: Buffer): void {
  const body = input.toString("utf8");
  const marker = parseMarker(body);
  if (marker === undefined) return;
  hold(formatMarker(marker) === body.split(/\r?\n/, 1)[0], "a marker that is read as another one");
}

export const eventTargets: readonly Target[] = [
  { name: "events", share: 8, inputs: events, check: checkEvent },
  { name: "bench-comments", share: 8, inputs: commands.map((text) => Buffer.from(text)), check: checkCommand },
  {
    name: "bench-requests",
    share: 5,
    inputs: fc.oneof(mutatedJson([REQUEST]), mutatedBytes([JSON.stringify(REQUEST)])),
    check: checkRequest,
  },
  { name: "markers", share: 4, inputs: mutatedBytes([MARKER, `${MARKER}\ntext`, `${MARKER}\r\n`]), check: checkMarker },
];
