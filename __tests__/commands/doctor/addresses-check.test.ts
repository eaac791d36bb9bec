import { expect, it } from "vitest";
import { addressesCheck } from "../../../src/commands/doctor/addresses-check.js";
import { provisioning } from "../../support/provisioning.js";

/** @param python shell script in the place of Python */
async function checkWith(python: string) {
  const { bin, program } = await provisioning();
  await program("python3", python);
  return await addressesCheck({ PATH: bin });
}

it("is lacking where Python says that addresses cannot be the same, with what to do", async () => {
  expect(await checkWith("exit 1")).toMatchObject({
    id: "addresses",
    state: "lacking",
    todo: expect.stringContaining("docs/forks-and-runners.md"),
  });
});

it("is good where they can", async () => {
  expect(await checkWith("exit 0")).toMatchObject({ state: "good", todo: "" });
});
