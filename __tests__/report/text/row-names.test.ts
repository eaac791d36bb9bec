import { expect, it } from "vitest";
import { rowNamer, rowNamerInSet } from "../../../src/report/text/row-names.js";

const HELLO = { id: "hello/granian", title: "Granian", connections: 64 };
const JSON_ROW = { id: "json/text-granian", title: "Granian", connections: 64 };
const JSON_TWIN = { id: "json/json-granian", title: "Granian", connections: 64 };
const FILES = { id: "files/granian", title: "Granian" };

it("is the title in a report of one set, with its connections", () => {
  expect(rowNamer([HELLO])(HELLO)).toBe("Granian (c64)");
  expect(rowNamer([HELLO, { ...HELLO, connections: 8 }])(HELLO)).toBe("Granian (c64)");
});

it("has the set where there are several", () => {
  const nameOf = rowNamer([HELLO, FILES]);
  expect([nameOf(HELLO), nameOf(FILES)]).toEqual(["hello / Granian (c64)", "files / Granian"]);
});

it("is the id where two rows of a set have one title, or where there is none", () => {
  const nameOf = rowNamer([HELLO, JSON_ROW, JSON_TWIN]);
  expect([nameOf(HELLO), nameOf(JSON_ROW)]).toEqual(["hello / Granian (c64)", "json/text-granian (c64)"]);
  expect(nameOf({ id: "json/untitled" })).toBe("json/untitled");
});

it("has no set below a heading that names it", () => {
  const nameOf = rowNamerInSet([HELLO, JSON_ROW, JSON_TWIN]);
  expect([nameOf(HELLO), nameOf(JSON_TWIN)]).toEqual(["Granian (c64)", "json-granian (c64)"]);
});
