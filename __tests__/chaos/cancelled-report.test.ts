/** A job that is cancelled when everything is measured: the seconds that a report takes are there, and the comment is finished. */
import { expect, test } from "vitest";
import { PULL, World } from "./world.js";

test.each(["SIGINT", "SIGTERM"] as const)("%s during the upload", { timeout: 120_000 }, async (signal) => {
  await using world = await World.open("action");
  const tool = world.start();
  let sent = false;
  world.github?.before({ path: /twirp/ }, () => {
    sent = tool.child.kill(signal);
  });
  const { code, output } = await tool.ended;
  expect(sent, output).toBe(true);
  expect(output).toContain(`note ${signal} received: finishing the report first`);
  expect(code, output).toBe(0);
  const [comment, ...more] = world.github?.commentsOf(PULL) ?? [];
  expect(more).toEqual([]);
  expect(comment?.body).toMatch(/^<!-- server-bench key=default run=\d+ attempt=1 phase=done -->\n/);
});
