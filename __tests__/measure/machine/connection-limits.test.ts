/** Too few file handles or ports: found before the first row, with the command that raises them. */
import { expect, it } from "vitest";
import { SetupError } from "../../../src/errors.js";
import { checkConnectionLimits } from "../../../src/measure/machine/connection-limits.js";
import { planRun } from "../../../src/plan/plan.js";
import { ROOT } from "../../support/workflows.js";

const { sets } = await planRun({ root: ROOT, cwd: ROOT, profile: "quick", cores: 2, selectors: ["connections"] });
const rows = sets.flatMap((set) => set.rows);
const ENOUGH = { openFiles: 65_536, ephemeralPorts: 28_232 };

it("accepts the connections of the built-in set on a usual machine, and what a kernel does not report", () => {
  expect(() => checkConnectionLimits(rows, true, ENOUGH)).not.toThrow();
  expect(() => checkConnectionLimits(rows, true, { openFiles: undefined, ephemeralPorts: undefined })).not.toThrow();
});

it("looks at rows whose connections are kept too", async () => {
  const { sets: usual } = await planRun({
    root: ROOT,
    cwd: ROOT,
    profile: "quick",
    cores: 2,
    selectors: ["interfaces"],
  });
  const kept = usual.flatMap((set) => set.rows);
  const most = Math.max(...kept.flatMap(({ connections }) => connections));
  const check = (limits: object) => () => checkConnectionLimits(kept, true, { ...ENOUGH, ...limits });
  expect(check({ openFiles: most })).toThrow(/open files per process/);
  expect(check({ ephemeralPorts: 9 })).toThrow(/ports for its connections; the range has 9\./);
  expect(check({ openFiles: most + 64, ephemeralPorts: most })).not.toThrow();
});

it.each([
  [
    "1,024 open files",
    false,
    { ...ENOUGH, openFiles: 1024 },
    /^connections\/1-000-idle-\S+ needs 1320 open files per process; the limit is 1024\. Run `ulimit -n 2048` first\./,
  ],
  [
    "files for one side of two",
    true,
    { ...ENOUGH, openFiles: 20_000 },
    /^connections\/10-000-idle-\S+ needs 20320 open files per process.*`ulimit -n 32768`/,
  ],
  [
    "few ports",
    false,
    { ...ENOUGH, ephemeralPorts: 10_000 },
    /^connections\/new-connections-\S+ needs 16064 ports.*sysctl -w net\.ipv4\.ip_local_port_range/,
  ],
])("refuses %s", (_, inPairs, limits, message) => {
  expect(() => checkConnectionLimits(rows, inPairs, limits)).toThrow(SetupError);
  expect(() => checkConnectionLimits(rows, inPairs, limits)).toThrow(message);
});
