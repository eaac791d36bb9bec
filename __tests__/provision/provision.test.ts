import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { EnvironmentSpec } from "../../src/plan/types.js";
import { listProcesses } from "../../src/process/proc.js";
import { environmentKey } from "../../src/provision/environments/key.js";
import { provision } from "../../src/provision/provision.js";
import type { EnvironmentState } from "../../src/provision/types.js";
import { environmentSpec, type Provisioning, provisioning, rowNeeding } from "../support/provisioning.js";
import { commit, git, newRepository } from "../support/repository.js";

/** A uv that notes its calls, makes folders, and installs every requirement but `broken`, as the version in a file or as 1.0. */
const UV = `
echo "$*" >> "$HOME.calls"
case "$1 $2" in
  "--version ") echo uv 0.13.8 ;;
  venv*) for last; do :; done
    /bin/mkdir -p "$last/bin"; : > "$last/pyvenv.cfg"; : > "$last/names"
    printf '#!/bin/sh\\n' > "$last/bin/python"; /bin/chmod +x "$last/bin/python" ;;
  "pip install") venv="\${4%/bin/python}"; while [ "$1" != -- ]; do shift; done; shift
    version=1.0; [ -f "$HOME.version" ] && . "$HOME.version"
    for name; do
      [ "$name" = killed ] && { echo "Building killed" >&2; kill -9 $$; }
      # As setuptools does: what an earlier build left in the folder is installed too.
      case "$name" in *" @ file://"*) from="$(echo "\${name#* @ file://}" | /bin/sed "s/%20/ /g")"; /bin/mkdir -p "$from/build" "$venv/lib"
        /bin/cp "$from"/*.py "$from/build"; /bin/cp "$from"/build/*.py "$venv/lib" ;; esac
      name="\${name%% @ *}"
      [ "$name" = leaving ] && { /usr/bin/setsid /bin/sleep 60 > /dev/null 2>&1 & echo $! > "$HOME.left"; }
      [ "$name" = broken ] && { echo "fatal error: ev.h: No such file" >&2; exit 1; }
      echo "$name $version" >> "$venv/names"; /bin/mkdir -p "$venv/lib"; echo "$name = 1" > "$venv/lib/$name.py"
    done ;;
  "pip list") venv="\${6%/bin/python}"; comma=""; printf '['
    while read -r name version; do printf '%s{"name":"%s","version":"%s"}' "$comma" "$name" "$version"; comma=,; done < "$venv/names"
    printf ']' ;;
  "python find") echo "error: No interpreter found for $6" >&2; exit 2 ;;
esac`;
const python = (version: string): string => `echo '{"executable":"/usr/bin/python3","version":"${version}"}'`;

async function machine(): Promise<Provisioning & { calls: () => Promise<string[]> }> {
  const setup = await provisioning();
  await setup.program("uv", UV);
  await setup.program("python3", python("3.11.7"));
  await setup.program("oha", "echo oha 1.16.0");
  const calls = async (): Promise<string[]> =>
    (await readFile(`${setup.context.env.HOME}.calls`, "utf8").catch(() => "")).split("\n").slice(0, -1);
  return { ...setup, calls };
}

async function provide({ context }: Provisioning, specs: readonly EnvironmentSpec[]): Promise<EnvironmentState[]> {
  const { environments } = await provision(specs.map(rowNeeding), context);
  return specs.map(
    (spec) => environments.get(environmentKey(spec)) ?? { state: "failed", reason: "no state", log: "" },
  );
}

describe("provision", () => {
  it("builds each environment once, records versions, and reuses all of them without uv", async () => {
    const setup = await machine();
    const specs = Array.from({ length: 20 }, (_, index) =>
      environmentSpec({
        server: `server-${index}`,
        requires: ["Some.Name", `other-${index}`],
        distribution: "some_name",
      }),
    );
    const first = await provide(setup, [...specs, ...specs]);
    expect(first[0]).toEqual({
      state: "ready",
      binDir: expect.stringMatching(/environments\/some-name-py3\.11\.7-[0-9a-f]{12}\/venv-[0-9a-f]{8}\/bin$/),
      pythonVersion: "3.11.7",
      version: "1.0",
      packages: ["Some.Name==1.0", "other-0==1.0"],
    });
    const calls = await setup.calls();
    expect(calls.filter((call) => call.startsWith("venv"))).toHaveLength(20);
    setup.progressLines.length = 0;
    expect(await provide(setup, [...specs, ...specs])).toEqual(first);
    expect(await setup.calls()).toEqual(calls);
    expect(setup.progressLines.filter((line) => line.startsWith("reused server-"))).toHaveLength(20);
  });

  it("compiles for one environment at a time what another one takes from uv's cache", async () => {
    const setup = await machine();
    const compiled = ["one", "two"].map((name) =>
      environmentSpec({ requires: ["six", name], systemPackages: ["build-essential"] }),
    );
    await provide(setup, compiled);
    const calls = (await setup.calls()).filter((call) => /^(venv|pip)/.test(call));
    const one = ["venv --", "pip ins", "pip lis"];
    expect(calls.map((call) => call.slice(0, 7))).toEqual([...one, ...one]);
  });

  it("runs uv where settings of folders above do not reach: every user may write into /tmp", async () => {
    const setup = await machine();
    await setup.program("uv", `[ -f uv.toml ] || echo "$1 $2" >> "$HOME.reached"\n${UV}`);
    const [state] = await provide(setup, [environmentSpec()]);
    expect(state?.state).toBe("ready");
    expect(await readFile(`${setup.context.env.HOME}.reached`, "utf8").catch(() => "none")).toBe("none");
  });

  it("needs no load generator where no row asks for one", async () => {
    const { context, program } = await machine();
    await program("oha", "exit 1");
    const { environments, generators } = await provision([], context);
    expect([environments.size, generators.size]).toEqual([0, 0]);
  });

  it("builds once what two servers with other commands need", async () => {
    const setup = await machine();
    const states = await provide(setup, [environmentSpec({ server: "one" }), environmentSpec({ server: "two" })]);
    expect(states[0]).toMatchObject({ state: "ready" });
    expect(states[1]).toBe(states[0]);
    expect((await setup.calls()).filter((call) => call.startsWith("venv"))).toHaveLength(1);
  });

  it("gives a failed environment its reason and its last lines; the others go on, nothing of it stays", async () => {
    const setup = await machine();
    const broken = environmentSpec({ server: "bjoern", requires: ["broken"], systemPackages: ["libev-dev"] });
    const [failed, ready] = await provide(setup, [broken, environmentSpec()]);
    expect(ready?.state).toBe("ready");
    expect(failed).toEqual({
      state: "failed",
      reason: expect.stringMatching(
        /^bjoern cannot be installed: fatal error: ev\.h: No such file; bjoern needs Debian packages: apt-get install libev-dev; the whole log: .*\/cache\/logs\/six-py3\.11\.7-[0-9a-f]{12}\.log$/,
      ),
      log: "fatal error: ev.h: No such file",
      failure: expect.objectContaining({ kind: "system-package", subject: "bjoern", fromCheckout: false }),
    });
    const left = await readdir(join(setup.context.cache, "environments"));
    expect(left).toEqual([expect.stringMatching(/^six-py/)]);
  });

  it("builds a checkout from its own files, not from what an earlier build left", async () => {
    const setup = await machine();
    const folder = await mkdtemp(join(tmpdir(), "server-bench-test-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const checkout = newRepository(folder);
    const spec = environmentSpec({ requires: [`six @ file://${checkout}`] });
    const installed = async () => {
      const [state] = await provide(setup, [spec]);
      return state?.state === "ready" ? (await readdir(join(state.binDir, "../lib"))).sort() : state;
    };
    commit(checkout, { ".gitignore": "build/\n", "app.py": "1\n", "utilities.py": "1\n" });
    expect(await installed()).toEqual(["app.py", "six.py", "utilities.py"]);
    git(checkout, "rm", "--quiet", "utilities.py");
    commit(checkout, {});
    expect(await installed()).toEqual(["app.py", "six.py"]);
    expect((await readdir(checkout)).sort()).toEqual([".git", ".gitignore", "app.py"]);
  });

  it("blames no requirement where the installer was killed", async () => {
    const setup = await machine();
    const [state] = await provide(setup, [environmentSpec({ requires: ["killed"] })]);
    expect(state).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(
        /^six, killed \(Python 3\.11\.7\): installing: `.*` was killed by a signal; see the last lines/,
      ),
    });
    expect(state).not.toHaveProperty("failure");
  });

  it("ends what a build leaves, before anything is measured", async () => {
    const setup = await machine();
    const [state] = await provide(setup, [environmentSpec({ requires: ["six", "leaving"] })]);
    expect(state?.state).toBe("ready");
    const left = Number(await readFile(`${setup.context.env.HOME}.left`, "utf8"));
    expect(listProcesses().filter(({ pid }) => pid === left)).toEqual([]);
  });

  it("calls two environments of one server by what is installed beside it", async () => {
    const setup = await machine();
    await provide(setup, [environmentSpec(), environmentSpec({ requires: ["six", "other>=1"] })]);
    const started = setup.progressLines.filter((line) => line.startsWith("started six"));
    expect(started.sort()).toEqual(["started six (Python 3.11.7)", "started six, other (Python 3.11.7)"].sort());
  });

  it("says which side needs an environment that the other one does not need", async () => {
    const setup = await machine();
    const ofBase = [environmentSpec(), environmentSpec({ requires: ["broken"] })].map(rowNeeding);
    const ofHead = [environmentSpec(), environmentSpec({ requires: ["six", "other"] })].map(rowNeeding);
    // Rows whose instructions are counted are copies.
    const rows = [...ofHead, ...ofBase].map((row) => ({ ...row }));
    await provision(rows, setup.context, { rows: ofBase, headRows: ofHead, buildHead: (_, build) => build() });
    // Two are built at a time, so which one starts first is chance.
    const lines = setup.progressLines.filter((line) => /^(started|failed) .*six/.test(line));
    expect(lines.toSorted()).toEqual([
      expect.stringMatching(/^failed base: six, broken \(Python 3\.11\.7\)/),
      "started base: six, broken (Python 3.11.7)",
      "started head: six, other (Python 3.11.7)",
      "started six (Python 3.11.7)",
    ]);
  });

  it("begins with head once base is built: head's build could change what base is built from", async () => {
    const setup = await machine();
    const [base, head] = ["one", "two"].map((name) => rowNeeding(environmentSpec({ requires: ["six", name] })));
    if (!base || !head) throw new Error("two rows");
    const sides = { rows: [base], headRows: [head] };
    await provision([head, base], setup.context, { ...sides, buildHead: (_, build) => build() });
    const steps = setup.progressLines.filter((line) => /^(started|finished) .*six/.test(line));
    expect(steps.map((line) => line.split(":")[0])).toEqual([
      ...["started base", "finished base"],
      ...["started head", "finished head"],
    ]);
  });

  it("names the distribution that is not among what was installed", async () => {
    const setup = await machine();
    const [state] = await provide(setup, [environmentSpec({ distribution: "seven" })]);
    expect(state).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("its distribution seven is not among what was installed (six)"),
    });
  });

  it("builds again what is damaged: no manifest, another manifest, no interpreter", async () => {
    const setup = await machine();
    const spec = environmentSpec();
    for (const damage of [
      (folder: string) => rm(join(folder, "environment.json")),
      (folder: string) => writeFile(join(folder, "environment.json"), '{"format":2'),
      (_folder: string, binDir: string) => rm(join(binDir, "python")),
    ]) {
      const [before] = await provide(setup, [spec]);
      if (before?.state !== "ready") throw new Error("not ready");
      const folder = join(before.binDir, "..", "..");
      await damage(folder, before.binDir);
      const [after] = await provide(setup, [spec]);
      expect(after).toMatchObject({ state: "ready" });
      expect(after).not.toEqual(before);
      expect((await readdir(folder)).sort()).toEqual(["environment.json", "used", expect.stringMatching(/^venv-/)]);
    }
  });

  it("builds again an environment whose files changed, and says so", async () => {
    const setup = await machine();
    const spec = environmentSpec();
    const changes = [
      (venv: string) => appendFile(join(venv, "lib", "six.py"), "import os\n"),
      (venv: string) => writeFile(join(venv, "lib", "sitecustomize.py"), "import os\n"),
      (venv: string) => rm(join(venv, "lib", "six.py")),
      async (venv: string) => {
        await rm(join(venv, "lib", "six.py"));
        await symlink("/etc/hostname", join(venv, "lib", "six.py"));
      },
    ];
    for (const change of changes) {
      const [before] = await provide(setup, [spec]);
      if (before?.state !== "ready") throw new Error("not ready");
      await change(join(before.binDir, ".."));
      setup.progressLines.length = 0;
      const [after] = await provide(setup, [spec]);
      if (after?.state !== "ready") throw new Error("not ready");
      expect(after.binDir).not.toBe(before.binDir);
      expect(await readFile(join(after.binDir, "..", "lib", "six.py"), "utf8")).toBe("six = 1\n");
      expect(setup.progressLines.filter((line) => line.startsWith("note"))).toEqual([
        "note six (Python 3.11.7): its files are not the ones that were installed; building it again",
      ]);
    }
  });

  it("leaves the files to a run that may be using them, and removes them a day later", async () => {
    const setup = await machine();
    const build = async () => {
      const [state] = await provide(setup, [environmentSpec()]);
      if (state?.state !== "ready") throw new Error("not ready");
      return join(state.binDir, "..");
    };
    const change = (venv: string) => appendFile(join(venv, "lib", "six.py"), "import os\n");
    const venvs = async (venv: string) => (await readdir(join(venv, ".."))).filter((name) => name.startsWith("venv-"));
    const first = await build();
    await change(first);
    const second = await build();
    expect((await venvs(second)).sort()).toEqual([basename(first), basename(second)].sort());
    const dayAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
    await utimes(join(second, "..", "used"), dayAgo, dayAgo);
    await change(second);
    const third = await build();
    expect(await venvs(third)).toEqual([basename(third)]);
  });

  it("removes environments that no run used for 30 days, when it builds one", async () => {
    const setup = await machine();
    const specs = ["one", "two", "three"].map((requirement) =>
      environmentSpec({ requires: ["six", requirement], distribution: "six" }),
    );
    const states = await provide(setup, specs);
    const folders = states.map((state) => (state.state === "ready" ? join(state.binDir, "..", "..") : ""));
    const longAgo = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
    for (const folder of folders)
      for (const name of ["used", "environment.json", "."]) await utimes(join(folder, name), longAgo, longAgo);
    setup.progressLines.length = 0;
    // A run that uses one of them, and builds nothing.
    await provide(setup, specs.slice(0, 1));
    const all = join(folders[0] ?? "", "..");
    expect(await readdir(all)).toHaveLength(3);
    await provide(setup, [environmentSpec({ requires: ["six", "four"], distribution: "six" })]);
    expect((await readdir(all)).includes(basename(folders[0] ?? ""))).toBe(true);
    expect(await readdir(all)).toHaveLength(2);
    expect(setup.progressLines.filter((line) => line.startsWith("note"))).toEqual([
      expect.stringMatching(/^note removed 2 environments \(0\.\d MiB\) that no run used for 30 days$/),
    ]);
  });

  it("removes the halves that a killed run left", async () => {
    const setup = await machine();
    const [state] = await provide(setup, [environmentSpec()]);
    if (state?.state !== "ready") throw new Error("not ready");
    const folder = join(state.binDir, "..", "..");
    await rm(join(folder, "environment.json"));
    await mkdir(join(folder, "venv-00000000"));
    await provide(setup, [environmentSpec()]);
    expect((await readdir(folder)).filter((name) => name.startsWith("venv-"))).toHaveLength(1);
  });

  it("skips rows whose Python is not there, and tells another Python's environments apart", async () => {
    const setup = await machine();
    const other = await setup.program("other-python", python("3.13.1"));
    const specs = [environmentSpec({ python: "3.99" }), environmentSpec({ python: other }), environmentSpec()];
    const [missing, found, plain] = await provide(setup, specs);
    expect(missing).toEqual({
      state: "skipped",
      reason: expect.stringMatching(
        /^Python 3\.99 is not there \(.*No interpreter found.*\); `uv python install 3\.99` installs it$/,
      ),
    });
    expect(found).toMatchObject({ state: "ready", pythonVersion: "3.13.1" });
    expect(plain).toMatchObject({ state: "ready", pythonVersion: "3.11.7" });
  });

  it.each(["2.7", "3.9", "2", "3.9.18"])(
    "offers to install no Python that servers do not run on: %s",
    async (version) => {
      const [state] = await provide(await machine(), [environmentSpec({ python: version })]);
      expect(state).toEqual({
        state: "skipped",
        reason: expect.stringMatching(/\); servers need Python 3\.10 or newer$/),
      });
    },
  );

  it.each(["3", "3.10", "pypy3.11"])("offers to install one that servers may run on: %s", async (version) => {
    const [state] = await provide(await machine(), [environmentSpec({ python: version })]);
    expect(state).toMatchObject({ reason: expect.stringContaining(`\`uv python install ${version}\` installs it`) });
  });

  it("fails rows whose Python only uv could find where uv cannot be installed, and keeps the others", async () => {
    const setup = await machine();
    const plain = environmentSpec();
    await provide(setup, [plain]);
    await rm(join(setup.bin, "uv"));
    const pip = `case "$*" in *pip*) echo "No module named pip" >&2; exit 1 ;; *) ${python("3.11.7")} ;; esac`;
    await setup.program("python3", pip);
    const [sought, reused] = await provide(setup, [environmentSpec({ python: "3.99" }), plain]);
    expect(sought).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(
        /^Python 3\.99 is looked for with uv, which could not be installed: .*apt-get install python3-pip/,
      ),
    });
    expect(reused).toMatchObject({ state: "ready", pythonVersion: "3.11.7" });
  });

  it("ends before any installation where there is no Python, or one that is too old", async () => {
    const setup = await machine();
    await setup.program("python3", python("3.8.18"));
    await expect(provide(setup, [environmentSpec()])).rejects.toThrow(
      /is 3\.8\.18, and the servers need 3\.10 or newer/,
    );
    await rm(join(setup.bin, "python3"));
    await expect(provide(setup, [environmentSpec()])).rejects.toThrow(/no python3 on PATH; apt-get install python3/);
    expect(setup.progressLines).toEqual([]);
  });

  it("does not go on once the run was aborted", async () => {
    const setup = await machine();
    const reason = new Error("interrupted");
    setup.abort.abort(reason);
    await expect(provide(setup, [environmentSpec()])).rejects.toBe(reason);
    expect(await setup.calls()).toEqual([]);
  });

  it("builds an environment once for two runs at the same time", async () => {
    const setup = await machine();
    const [one, two] = await Promise.all([provide(setup, [environmentSpec()]), provide(setup, [environmentSpec()])]);
    expect(one).toEqual(two);
    expect((await setup.calls()).filter((call) => call.startsWith("venv"))).toHaveLength(1);
  });
});

describe("a requirement from git", () => {
  async function remote() {
    const setup = await machine();
    await setup.program("git", `echo "$*" >> "$HOME.git"; exec /usr/bin/git "$@"`);
    const folder = newRepository(join(setup.root, "remote"));
    const first = commit(folder, { "six.py": "one\n" });
    const url = `git+file://${folder.replaceAll(" ", "%20")}`;
    const at = (reference: string, server = "six") =>
      environmentSpec({ server, requires: [`six @ ${url}${reference}`, "idna==3.7"] });
    const asked = async () => (await readFile(`${setup.context.env.HOME}.git`, "utf8").catch(() => "")).split("\n");
    /** What uv was given, of all installations. */
    const installed = async () => (await setup.calls()).flatMap((call) => /six @ (\S+)/.exec(call)?.[1] ?? []);
    return { setup, folder, first, url, at, asked, installed };
  }

  /** A later run on the same machine. */
  const later = (setup: Provisioning): Provisioning => ({
    ...setup,
    context: { ...setup.context, run: { ...setup.context.run, id: "later" } },
  });

  it("is installed at the commit that its branch has now, and reused while that stays", async () => {
    const { setup, folder, first, url, at, installed } = await remote();
    for (const reference of ["@main", "", "@main#egg=six"]) {
      const [before] = await provide(later(setup), [at(reference)]);
      expect(await provide(later(setup), [at(reference)])).toEqual([before]);
      expect(before?.state).toBe("ready");
    }
    expect(await installed()).toEqual([`${url}@${first}`, `${url}@${first}#egg=six`]);
    const second = commit(folder, { "six.py": "two\n" });
    await provide(later(setup), [at("@main")]);
    expect((await installed()).at(-1)).toBe(`${url}@${second}`);
  });

  it("may name a tag, an annotated one too, or any other reference", async () => {
    const { setup, folder, first, url, at, installed } = await remote();
    git(folder, "tag", "v1");
    git(folder, "tag", "-a", "-m", "Tagged", "v2");
    git(folder, "update-ref", "refs/pull/7/head", "HEAD");
    // No other name that ends in the same way.
    git(folder, "branch", "other/v1");
    commit(folder, { "six.py": "two\n" });
    git(folder, "branch", "-f", "other/v1");
    const servers = ["@v1", "@v2", "@refs/pull/7/head"].map((reference, index) => at(reference, `six-${index}`));
    const states = await provide(setup, servers);
    expect(states.map(({ state }) => state)).toEqual(["ready", "ready", "ready"]);
    expect(new Set(states.map((state) => state.state === "ready" && state.binDir)).size).toBe(1);
    expect(await installed()).toEqual([`${url}@${first}`]);
  });

  it("asks nobody about a commit, and once a run about a branch", async () => {
    const { setup, first, at, asked, url, installed } = await remote();
    await provide(setup, [at(`@${first}`)]);
    expect(await asked()).toEqual([""]);
    await provide(setup, [at(`@${first.slice(0, 9)}`)]);
    expect(await installed()).toEqual([`${url}@${first}`, `${url}@${first.slice(0, 9)}`]);
    const before = (await asked()).length;
    const again = later(setup);
    await provide(again, [at("@main", "one"), at("@main", "two")]);
    await provide(again, [at("@main", "three")]);
    expect((await asked()).length - before).toBe(1);
  });

  it("fails where its commit cannot be found out, though an older one is installed", async () => {
    const { setup, folder, at, url } = await remote();
    await provide(setup, [at("@main")]);
    const states = await provide(later(setup), [at("@gone"), environmentSpec()]);
    expect(states).toMatchObject([
      {
        state: "failed",
        reason: `six: ${url.slice("git+".length)} has no branch or tag gone; correct the reference after the last @ of its requirement`,
      },
      { state: "ready" },
    ]);
    await rm(folder, { recursive: true });
    const [unreachable] = await provide(later(setup), [at("@main")]);
    expect(unreachable).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(
        /^six: asking for the commit of main: `git ls-remote .*` ended with exit code 128; check the network and the address, or give a commit of 40 digits$/,
      ),
    });
  });
});

describe("base and head of a checkout", () => {
  const DAY_SEC = 24 * 60 * 60;

  async function sides() {
    const setup = await machine();
    const specOf = async (side: string) => {
      const folder = join(setup.root, side);
      await mkdir(folder);
      await writeFile(join(folder, "six.py"), side);
      return environmentSpec({ requires: [`six @ file://${folder.replaceAll(" ", "%20")}`, "idna"] });
    };
    const publish = (script: string) => writeFile(`${setup.context.env.HOME}.version`, `${script}\n`);
    const builds = async () => (await setup.calls()).filter((call) => call.startsWith("venv")).length;
    return { setup, base: await specOf("base"), head: await specOf("head"), publish, builds };
  }

  async function idnaOf(setup: Provisioning, specs: readonly EnvironmentSpec[]) {
    return (await provide(setup, specs)).map((state) => {
      if (state.state !== "ready") throw new Error(state.reason);
      return state.packages.find((entry) => entry.startsWith("idna"));
    });
  }

  /** As if the environment had been built on an earlier day. */
  async function age(setup: Provisioning, spec: EnvironmentSpec, days: number) {
    const [state] = await provide(setup, [spec]);
    if (state?.state !== "ready") throw new Error("not ready");
    const builtSec = Date.now() / 1000 - days * DAY_SEC;
    await utimes(join(state.binDir, "../../environment.json"), builtSec, builtSec);
    return state.binDir;
  }

  it("get the same versions of other packages, and the older environment stays as it was", async () => {
    const { setup, base, head, publish, builds } = await sides();
    const older = await age(setup, base, 30);
    await publish("version=2.0");
    expect(await idnaOf(setup, [base, head])).toEqual(["idna==2.0", "idna==2.0"]);
    expect(await readdir(join(older, ".."))).toContain("pyvenv.cfg");
    expect(setup.progressLines).toContain(
      "note six, idna (Python 3.11.7): other packages changed since it was built (idna 1.0, now 2.0); building it with today's, so that base and head have the same",
    );
    const count = await builds();
    await publish("version=3.0");
    expect(await idnaOf(setup, [base, head])).toEqual(["idna==2.0", "idna==2.0"]);
    expect(await builds()).toBe(count);
  });

  it("are built once more where head itself asks for another version", async () => {
    const { setup, base, head, publish, builds } = await sides();
    await age(setup, base, 2);
    await publish('version=2.0; case "$*" in *head*) version=9.0 ;; esac');
    expect(await idnaOf(setup, [base, head])).toEqual(["idna==2.0", "idna==9.0"]);
    expect(await builds()).toBe(3);
    expect(await idnaOf(setup, [base, head])).toEqual(["idna==2.0", "idna==9.0"]);
    expect(await builds()).toBe(3);
  });

  it("stay as they are where both are of one day, or have the same versions", async () => {
    const { setup, base, head, publish, builds } = await sides();
    await age(setup, base, 30);
    expect(await idnaOf(setup, [base, head])).toEqual(["idna==1.0", "idna==1.0"]);
    await publish("version=2.0");
    const { setup: other, ...same } = await sides();
    await same.publish('case "$*" in *head*) version=9.0 ;; esac');
    expect(await idnaOf(other, [same.base, same.head])).toEqual(["idna==1.0", "idna==9.0"]);
    expect([await builds(), await same.builds()]).toEqual([2, 2]);
  });

  it("keep the older environment where it cannot be built again", async () => {
    const { setup, base, head, publish } = await sides();
    await age(setup, base, 30);
    await publish('version=2.0; case "$*" in *base*) exit 1 ;; esac');
    expect(await idnaOf(setup, [base, head])).toEqual(["idna==1.0", "idna==2.0"]);
  });
});
