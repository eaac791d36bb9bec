/** Every message of docs/troubleshooting.md is one that the tool prints. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../support/workflows.js";

const page = readFileSync(join(ROOT, "docs/troubleshooting.md"), "utf8");
const headings = [...page.matchAll(/^### `(.+)`$/gm)].map(([, message = ""]) => message);

/** Texts of messages stand in strings, some over two of them; values are filled in. */
const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => readFileSync(join(ROOT, "src", file), "utf8").replaceAll(/["`] \+\n\s*["`]/g, ""))
  .join("\n");

it("names messages", () => {
  expect(headings.length).toBeGreaterThan(15);
});

it.each(headings)("%s", (message) => {
  for (const part of message.split("...").map((text) => text.trim())) expect(sources).toContain(part);
});
