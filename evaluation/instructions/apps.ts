/** The folders of both sides: four servers, each with the same app and with apps that do a little more work in head. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Side } from "../../src/plan/types.js";

/**
 * Statements `_ = 0` that head executes more in each request. They were chosen for half a per cent and one per cent of the server's
 * work, at 36 instructions each (CPython 3.11.7 as pyenv builds it), and for three per cent of its CPU time. The chapter gives the sizes that
 * were measured.
 */
const SERVERS = {
  uvicorn: { interface: "asgi", statements: { half: 14, one: 28, three: 220 } },
  granian: { interface: "asgi", statements: { half: 9, one: 18, three: 245 } },
  gunicorn: { interface: "wsgi", statements: { half: 83, one: 166, three: 1950 } },
  hypercorn: { interface: "asgi", statements: { half: 117, one: 234, three: 1450 } },
} as const;

export const PLANTS = ["none", "half", "one", "three"] as const;
export type Plant = (typeof PLANTS)[number];

/** @param detect per cent: smallest change that the runs look for; undefined: they only count */
export function plantsFor(detect: number | undefined): readonly Plant[] {
  if (detect === undefined) return ["none", "half", "one"];
  return ["none", isTimedFirst(detect) ? "three" : "one"];
}

/** Such runs count only the rows that look changed and that their pairs have not decided. */
export function isTimedFirst(detect: number | undefined): boolean {
  return detect !== undefined && detect >= 3;
}

export interface PlantedApp {
  /** Of the app and of its row. */
  readonly title: string;
  readonly server: string;
  readonly plant: Plant;
}

export function plantedApps(plants: readonly Plant[]): readonly PlantedApp[] {
  return Object.keys(SERVERS).flatMap((server) =>
    plants.map((plant) => ({ title: `${server}-${plant}`, server, plant })),
  );
}

/** Each side has an environment of its own: this package, which nothing uses, differs. */
const ONLY_HERE: Readonly<Record<Side, string>> = { base: "iniconfig==2.0.0", head: "iniconfig==2.1.0" };

/** @returns the folder of the scenarios, `bench` */
export async function writeSide(folder: string, side: Side, plants: readonly Plant[]): Promise<void> {
  const apps: string[] = [];
  const rows: string[] = [];
  for (const [server, { interface: name, statements }] of Object.entries(SERVERS)) {
    for (const plant of plants) {
      const app = `${server}-${plant}`;
      await mkdir(join(folder, app), { recursive: true });
      const more = side === "head" && plant !== "none" ? statements[plant] : 0;
      await writeFile(join(folder, app, "app.py"), `${appText(name, more)}# ${side}\n`);
      apps.push(`  ${app}: { interface: ${name}, path: ../${app}, requires: [${ONLY_HERE[side]}] }`);
      rows.push(`  - { title: ${app}, server: ${server}, app: ${app}, request: evaluated, connections: 64 }`);
    }
  }
  await mkdir(join(folder, "bench"), { recursive: true });
  const request = "requests:\n  evaluated: { path: /, expect: { body: { repeat: x, size: 1000 } } }\n";
  await writeFile(join(folder, "bench/servers.yml"), `apps:\n${apps.join("\n")}\n${request}`);
  await writeFile(join(folder, "bench/work.yml"), `title: Work\nlabel: App\nrows:\n${rows.join("\n")}\n`);
}

function appText(name: "asgi" | "wsgi", statements: number): string {
  const work = "    _ = 0\n".repeat(statements);
  if (name === "wsgi")
    return `BODY = b"x" * 1000
HEADERS = [("content-type", "text/plain"), ("content-length", "1000")]
def app(environ, start_response):
${work}    start_response("200 OK", HEADERS)
    return [BODY]
`;
  return `BODY = b"x" * 1000
HEADERS = [(b"content-type", b"text/plain"), (b"content-length", b"1000")]
async def app(scope, receive, send):
${work}    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": BODY})
`;
}
