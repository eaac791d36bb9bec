/** A double of GitHub, and act, which runs a workflow to paste on a checkout as GitHub makes it. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseDocument, visit } from "yaml";
import { runWorkflow, type WorkflowEnd } from "./act.js";
import { tempFolder } from "./cli.js";
import { GitHubDouble, type StoredPull, type StoredRun } from "./github/double.js";
import { commit, git, newRepository } from "./repository.js";
import type { TestTool } from "./tools.js";
import { benchOf, tinyLoad } from "./workflow/world.js";
import { ROOT } from "./workflows.js";

export const WORKFLOW = ".github/workflows/bench.yml";

/** Every process of a job carries it, on GitHub's runners too. */
export const TRACKING_ID = `github_${randomUUID()}`;

export const REPOSITORY = { full_name: "acme/server", default_branch: "main" };

type Files = Readonly<Record<string, string>>;
type Checkout = Pick<PullCheckout, "repository" | "run">;

interface PullCheckout {
  readonly repository: string;
  readonly baseSha: string;
  readonly pull: StoredPull;
  readonly run: StoredRun;
}

export function exampleText(name: string): string {
  return readFileSync(join(ROOT, "examples", name), "utf8");
}

/** The workflow as it is, except for its load: rows of a tiny app instead of whole sets of a server that has to be built. */
export function tinyExample(name: string): string {
  const workflow = parseDocument(exampleText(name));
  visit(workflow, {
    Map(_, step) {
      // act clones from GitHub where a commit is named; the repository is at that commit already.
      if (String(step.getIn(["with", "ref"])).includes("inputs.request")) step.deleteIn(["with", "ref"]);
      if (step.get("uses") !== "org/server-bench@v1") return;
      const inputs = { ...(step.toJSON() as { with?: Record<string, string> }).with };
      step.set("with", inputs.command === "report" ? inputs : tinyLoad({ shard: "", budget: "", ...inputs }));
    },
  });
  return workflow.toString();
}

export class ActWorld implements AsyncDisposable {
  readonly github: GitHubDouble;
  readonly #act: TestTool;
  readonly #temp: string;

  private constructor(github: GitHubDouble, act: TestTool) {
    this.github = github;
    this.#act = act;
    this.#temp = tempFolder();
  }

  static async open(act: TestTool): Promise<ActWorld> {
    return new ActWorld(await GitHubDouble.start(), act);
  }

  /** Pull request 7, checked out as a runner does: GitHub's merge of it into main, on no branch. */
  checkOut(base: Files, head: Files, fork = false, workflowFile = "bench.yml"): PullCheckout {
    const { github } = this;
    const repository = newRepository(join(this.#temp, "repository"));
    const baseSha = commit(repository, base);
    git(repository, "checkout", "--quiet", "-b", "feature");
    const headSha = commit(repository, head);
    git(repository, "checkout", "--quiet", "--detach", "main");
    git(repository, "merge", "--quiet", "--no-ff", "-m", "Merge", "feature");
    const headRepository = fork ? "mallory/server" : `${github.owner}/${github.repo}`;
    const pull = github.addPull({ number: 7, headSha, baseSha, headRepository });
    const state = { status: "in_progress", conclusion: null } as const;
    const run = github.addRun({
      event: "pull_request",
      workflowFile,
      headBranch: "feature",
      headSha,
      headRepository,
      ...state,
    });
    return { repository, baseSha, pull, run };
  }

  /** The default branch, with the workflow and its scenarios. */
  onMain(name: string, event: string, rows: readonly string[]): Checkout {
    const repository = newRepository(join(this.#temp, "repository"));
    const headSha = commit(repository, { [WORKFLOW]: tinyExample(name), ...benchOf(rows) });
    const run = this.github.addRun({ event, headSha, status: "in_progress", conclusion: null });
    return { repository, run };
  }

  async runOn({ repository, pull, run }: PullCheckout, signal: AbortSignal): Promise<WorkflowEnd> {
    const event = { name: "pull_request", payload: this.github.pullRequestEvent(pull) };
    return await this.runEvent({ repository, run }, event, signal);
  }

  async runEvent(
    { repository, run }: Checkout,
    event: { readonly name: string; readonly payload: unknown },
    signal: AbortSignal,
  ): Promise<WorkflowEnd> {
    const { github } = this;
    if (this.#act.missing !== undefined) throw new Error(this.#act.missing);
    return await runWorkflow(this.#act.tool, {
      repository,
      workflow: WORKFLOW,
      temp: mkdtempSync(join(this.#temp, "act-")),
      signal,
      token: github.token,
      event,
      env: {
        GITHUB_REPOSITORY: `${github.owner}/${github.repo}`,
        GITHUB_API_URL: github.url,
        GITHUB_RUN_ID: String(run.id),
        // act leaves it out; a runner always sets it.
        GITHUB_WORKFLOW_REF: `${github.owner}/${github.repo}/.github/workflows/${run.workflowFile}@refs/heads/main`,
        RUNNER_TRACKING_ID: TRACKING_ID,
        ...github.runtimeEnv(run.id),
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.#temp, { recursive: true, force: true });
    await this.github[Symbol.asyncDispose]();
  }
}
