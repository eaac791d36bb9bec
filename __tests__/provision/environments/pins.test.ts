/** Pins of servers.yml give way to what the user asks for; no installer is run. */
import { describe, expect, it } from "vitest";
import {
  besideGiven,
  givenDistributions,
  neededByOlder,
  withoutPins,
} from "../../../src/provision/environments/pins.js";
import { replacedPins } from "../../../src/provision/environments/replaced.js";
import { environmentSpec } from "../../support/provisioning.js";

const PINS = ["Gunicorn[gevent]==27.0.1; python_version>'3'", "h11==0.16.0", "x @ git+https://host/x.git@main"];

function specOf(own: readonly string[], chosen?: readonly string[]) {
  const given = { ...(own.length > 0 && { own }), ...(chosen && { chosen }) };
  return environmentSpec({ distribution: "gunicorn", requires: [...PINS, ...own], ...given });
}

it("a requirement of the app gives a version only where it names one", () => {
  expect([...givenDistributions(specOf(["h11", "Set_Up<81", "y @ file:///y", "z; python_version<'3'"]))]).toEqual([
    "set-up",
    "y",
  ]);
});

describe("pins", () => {
  it("of what the app gives are left open", () => {
    expect(besideGiven(specOf(["gunicorn==20.0.4"]))).toEqual([
      "Gunicorn[gevent]; python_version>'3'",
      ...PINS.slice(1),
      "gunicorn==20.0.4",
    ]);
    // The same text as a pin is the app's own.
    expect(besideGiven(specOf(["h11==0.16.0"]))).toEqual([...PINS, "h11==0.16.0"]);
  });

  it("all give way where the versions that the user gives fit none of them", () => {
    expect(withoutPins(specOf(["setuptools<81"]))).toEqual([
      "Gunicorn[gevent]; python_version>'3'",
      "h11",
      PINS[2],
      "setuptools<81",
    ]);
    expect(withoutPins(specOf([], ["gunicorn"]))).toEqual([PINS[0], "h11", PINS[2]]);
    expect(withoutPins(specOf(["six"]))).toBeUndefined();
  });

  it("that gave way are named", () => {
    const packages = [
      { name: "gunicorn", version: "20.0.4" },
      { name: "h11", version: "0.16" },
    ];
    expect(replacedPins(specOf(["gunicorn==20.0.4"]), packages)).toEqual([
      { cause: expect.stringContaining("do not fit"), name: "Gunicorn", pinned: "27.0.1", installed: "20.0.4" },
    ]);
  });
});

describe("what an older release needs", () => {
  const older = [{ before: "21.0", requires: ["setuptools<81"] }];
  const needed = (version: string, own: readonly string[] = []) =>
    neededByOlder({ ...specOf(own), older }, [{ name: "Gunicorn", version }]);

  it.each(["19.9.0", "20.0.4", "20.1.0", "20.1.0.dev1+local"])("is installed beside %s", (version) => {
    expect(needed(version)).toEqual(["setuptools<81"]);
  });

  it.each(["21.0", "21.2.0", "27.0.1"])("not beside %s", (version) => {
    expect(needed(version)).toEqual([]);
  });

  it("not where the app says otherwise", () => {
    expect(needed("20.0.4", ["setuptools==70.0"])).toEqual([]);
  });
});
