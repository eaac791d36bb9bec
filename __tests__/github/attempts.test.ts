/** When an attempt of a run began. */
import { expect, it } from "vitest";
import { attemptStart } from "../../src/github/attempts.js";
import { quickClient } from "../support/github/client.js";
import { GitHubDouble } from "../support/github/double.js";

it("is known of a run that was started again", async () => {
  await using double = await GitHubDouble.start();
  const { id } = double.addRun({ attempt: 2, createdAt: "2026-01-01T12:00:00Z", startedAt: "2026-01-01T13:00:00Z" });
  expect(await attemptStart(quickClient(double), id, 2)).toEqual({
    state: "known",
    startedAt: new Date("2026-01-01T13:00:00Z"),
  });
  expect(double.apiCalls).toBe(1);
});

it("is refused where there is no such run, or the token may not see it", async () => {
  await using double = await GitHubDouble.start();
  const { id } = double.addRun();
  expect(await attemptStart(quickClient(double), id + 1, 1)).toMatchObject({
    ...{ state: "refused", failure: { kind: "not-found" } },
  });
  double.fail({ path: /\/attempts\/1$/, status: 403, body: { message: "No" } });
  expect(await attemptStart(quickClient(double), id, 1)).toMatchObject({
    ...{ state: "refused", failure: { kind: "forbidden", message: expect.stringContaining("actions: read") } },
  });
});

it("is refused where GitHub's answer has no time", async () => {
  await using double = await GitHubDouble.start();
  const { id } = double.addRun();
  double.fail({ path: /\/attempts\/1$/, status: 200, body: { run_started_at: "yesterday" } });
  expect(await attemptStart(quickClient(double), id, 1)).toMatchObject({
    state: "refused",
    failure: { message: expect.stringMatching(/the attempt of the run, field run_started_at/) },
  });
});
