/** A local repository of a server's source, with two commits per run that differ in a comment only. */
import { execFile } from "node:child_process";
import { appendFile, cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The app and the scenario lie in the repository, as a maintainer's own would. */
const APP = `BODY = b"x" * 10_000
HEADERS = [(b"content-type", b"text/plain"), (b"content-length", b"10000")]
async def app(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": BODY})
`;
const SERVERS = `apps:
  steady: { interface: asgi, path: app }
requests:
  live-body: { path: /, expect: { body: { repeat: x, size: 10000 } } }
`;

function scenario(server: string): string {
  return `title: Two builds
label: Server
rows:
  - { title: ${server}, server: ${server}, app: steady, request: live-body, connections: 64 }
`;
}

/** The set `live` in the folder `bench` of a checkout. */
export async function writeBench(folder: string, server: string): Promise<void> {
  await mkdir(join(folder, "bench/app"), { recursive: true });
  await writeFile(join(folder, "bench/app/app.py"), APP);
  await writeFile(join(folder, "bench/servers.yml"), SERVERS);
  await writeFile(join(folder, "bench/live.yml"), scenario(server));
}

/** Downloads and unpacks a source distribution. @param requirement such as `uvicorn==0.54.0` */
export async function downloadSource(requirement: string): Promise<AsyncDisposable & { readonly folder: string }> {
  const temp = await mkdtemp(join(tmpdir(), "server-bench-source-"));
  const source = { folder: "", [Symbol.asyncDispose]: () => rm(temp, { recursive: true, force: true }) };
  try {
    const args = ["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", temp, requirement];
    await run("python3", args);
    const [archive] = await readdir(temp);
    if (archive === undefined) throw new Error(`no source distribution of ${requirement}`);
    await run("tar", ["-xf", join(temp, archive), "-C", temp]);
    const folder = (await readdir(temp)).find((name) => name !== archive);
    if (folder === undefined) throw new Error(`${archive} has no folder`);
    return { ...source, folder: join(temp, folder) };
  } catch (error) {
    await source[Symbol.asyncDispose]();
    throw error;
  }
}

export class Repository {
  readonly folder: string;
  /** Relative to the folder. */
  readonly #module: string;

  private constructor(folder: string, module: string) {
    this.folder = folder;
    this.#module = module;
  }

  /** @param folder made here, from a copy of the source without its history */
  static async create(folder: string, source: string, server: string): Promise<Repository> {
    await cp(source, folder, { recursive: true, filter: (path) => !/\/(\.git|node_modules|\.venv)$/.test(path) });
    await writeBench(folder, server);
    await git(folder, "init", "--quiet");
    const repository = new Repository(folder, await findModule(folder, server));
    await repository.#commit("Source");
    return repository;
  }

  /** HEAD~1 and HEAD are new: their builds cannot come from a cache. */
  async commitSides(number: number): Promise<void> {
    for (const side of ["base", "head"]) {
      await appendFile(join(this.folder, this.#module), `\n# run ${number}, ${side}\n`);
      await this.#commit(`Run ${number}, ${side}`);
    }
  }

  async #commit(message: string): Promise<void> {
    await git(this.folder, "add", "--all", "--force");
    const identity = ["-c", "user.name=evaluation", "-c", "user.email=evaluation@localhost"];
    await git(this.folder, ...identity, "-c", "commit.gpgsign=false", "commit", "--quiet", "--message", message);
  }
}

/** The package's own `__init__.py`. */
async function findModule(folder: string, server: string): Promise<string> {
  const paths = [`${server}/__init__.py`, `src/${server}/__init__.py`];
  const found = await git(folder, "ls-files", "--others", "--cached", "--", ...paths);
  const [module] = found.split("\n").filter(Boolean);
  if (module === undefined) throw new Error(`${folder} has neither ${paths.join(" nor ")}`);
  return module;
}

export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  return (await run("git", ["-C", folder, ...args])).stdout;
}
