/** The action's bundle on a double of GitHub, from an event to the comment, in a small repository. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type ActionOptions, startAction } from "./action.js";
import { tempFolder } from "./cli.js";
import { GitHubDouble, type StoredRun } from "./github/double.js";
import { app, scenarios } from "./own-set.js";
import { commit, git, newRepository } from "./repository.js";

const INPUTS = { scenarios: "mine", "scenarios-dir": "bench", profile: "quick", token: "test-token" };

type StartOptions = ActionOptions & { readonly event?: { readonly name: string; readonly payload: unknown } };

interface ActionWorld extends AsyncDisposable {
  readonly github: GitHubDouble;
  readonly temp: string;
  start(
    run: StoredRun,
    inputs: Readonly<Record<string, string>>,
    options?: StartOptions,
  ): Promise<ReturnType<typeof startAction>>;
  /** The base branch with an app, and the pull request 7 that makes it slower, checked out. */
  pullRequest(burn: number, headRepository?: string): ReturnType<typeof pullRequestOn>;
  /** The bodies of the pull request's comments. */
  comments(): string[];
}

/** The world of the test that runs: a new one for each test of the file. */
export function worldOfTest(): ActionWorld {
  const world = {} as ActionWorld;
  beforeEach(async () => void Object.assign(world, await actionWorld()));
  afterEach(() => world[Symbol.asyncDispose]());
  return world;
}

async function actionWorld(): Promise<ActionWorld> {
  const temp = tempFolder();
  const github = await GitHubDouble.start();
  return {
    github,
    temp,
    start: async (run, inputs, options = {}) => {
      const env = { ...(await github.jobEnv(run, options.event)), ...github.runtimeEnv(run.id), ...options.env };
      return startAction({ ...INPUTS, ...inputs }, { ...options, env });
    },
    pullRequest: (burn, headRepository) => {
      const base = { ...scenarios("hello"), "hello/app.py": app(0) };
      const head = { "hello/app.py": app(burn, "# Changed") };
      return pullRequestOn(github, join(temp, "checkout"), { base, head }, headRepository);
    },
    comments: () => github.commentsOf(7).map(({ body }) => body),
    async [Symbol.asyncDispose]() {
      rmSync(temp, { recursive: true, force: true });
      await github[Symbol.asyncDispose]();
    },
  };
}

type Files = Readonly<Record<string, string>>;

/** The pull request 7 in a new repository, its branch `feature` checked out, and its run. */
export function pullRequestOn(
  github: GitHubDouble,
  folder: string,
  { base, head }: { readonly base: Files; readonly head: Files },
  headRepository = "acme/server",
) {
  const workspace = newRepository(folder);
  const baseSha = commit(workspace, base);
  git(workspace, "checkout", "--quiet", "-b", "feature");
  const headSha = commit(workspace, head);
  const pull = github.addPull({ number: 7, headSha, baseSha, headRepository });
  const running = { status: "in_progress", conclusion: null } as const;
  const run = github.addRun({ event: "pull_request", headBranch: "feature", headSha, headRepository, ...running });
  return { workspace, baseSha, headSha, pull, run };
}
