/** uv and what installs it: scripts that answer as programs do, on a PATH and in a cache of their own. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { programChecks } from "../../../src/commands/doctor/program-checks.js";
import { provisioning } from "../../support/provisioning.js";

const WITH_PIP = `case "$*" in *pip*) echo "pip 24.0 from /lib (python 3.11)" ;; *) echo Python 3.11.7 ;; esac`;
const WITHOUT_PIP = `case "$*" in *pip*) echo "/opt/python/3.11.7/bin/python3.11: No module named pip" >&2; exit 1 ;; *) echo Python 3.11.7 ;; esac`;

async function machine(python: string) {
  const { root, bin, program } = await provisioning();
  await program("python3", python);
  const cache = join(root, "cache");
  const env = { PATH: bin, HOME: join(root, "home"), SERVER_BENCH_CACHE: cache };
  const check = async () => (await programChecks(env)).find(({ id }) => id === "program-uv");
  return { cache, program, check };
}

it("lacks uv where there is no pip that the first run could install it with", async () => {
  const { cache, program, check } = await machine(WITHOUT_PIP);
  expect(await check()).toMatchObject({
    state: "lacking",
    found: "not there, and there is no pip to install it with",
    means: "It makes the environments. Nothing can be measured without it.",
    todo: expect.stringContaining("apt-get install python3-pip"),
  });
  const cached = join(cache, "uv", "0.13.8-linux-x64", "uv");
  await mkdir(dirname(cached), { recursive: true });
  await writeFile(cached, "#!/bin/sh\necho uv 0.13.8\n");
  await chmod(cached, 0o755);
  expect(await check()).toMatchObject({ state: "good", found: `0.13.8, ${cached}` });
  const onPath = await program("uv", "echo uv 0.14.0");
  expect(await check()).toMatchObject({ state: "good", found: `0.14.0, ${onPath}` });
});

it("leaves uv to the first run where there is pip", async () => {
  const { check } = await machine(WITH_PIP);
  expect(await check()).toMatchObject({ state: "good", found: "not there; the first run that needs it installs it" });
});
