/** A folder whose path is too long for a unix socket is found before anything is installed. */
import { expect, it } from "vitest";
import { SetupError } from "../../../src/errors.js";
import { checkSocketPath } from "../../../src/measure/server/unix-socket.js";
import type { PlannedRow } from "../../../src/plan/types.js";

const OVER_SOCKET = { id: "unix-sockets/g", socket: true } as PlannedRow;
const OVER_TCP = { id: "interfaces/g" } as PlannedRow;

it("allows 107 bytes, and counts bytes, not letters", () => {
  const longest = `/${"t".repeat(95)}`;
  expect(() => checkSocketPath([OVER_TCP, OVER_SOCKET], longest)).not.toThrow();
  const tooLong = `/tmp/${"ü".repeat(47)}/run`;
  expect(() => checkSocketPath([OVER_TCP, OVER_SOCKET], tooLong)).toThrow(SetupError);
  expect(() => checkSocketPath([OVER_SOCKET], tooLong)).toThrow(
    /^unix-sockets\/g needs a unix socket; its path in \/tmp\/ü+ would have 114 bytes, and 107 are allowed: set TMPDIR /,
  );
  expect(() => checkSocketPath([OVER_TCP], tooLong)).not.toThrow();
});
