/** Small scenario folders for tests of the plan. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempFolder } from "./cli.js";

export const SERVERS = `servers:
  fast:
    title: Fast
    distribution: fast-server
    requires: ["Fast_Server[extra]==1.0", uvloop==0.22.1]
    interfaces: [asgi, wsgi]
    http: [1, 2]
    command: [fast, --bind, "{host}:{port}", "{knobs}", --interface, "{interface}", "{target}"]
    knobs:
      workers: { args: [--workers, "{value}"], default: 1 }
      loop:
        interfaces: [asgi]
        choices:
          asyncio: { args: [--loop, asyncio] }
          uvloop: { args: [--loop, uvloop], requires: [uvloop==0.22.1] }
      http: { choices: { "1": { args: [--http, "1"] }, "2": { args: [--http, "2"] } } }
apps:
  asgi: { interface: asgi, path: ../apps/asgi }
  wsgi: { interface: wsgi, path: ../apps/wsgi, requires: [flask==3.1] }
requests:
  hello: { path: /hello, expect: { body: { text: "Hello" } } }
  echo: { method: POST, path: /echo, body: { repeat: x, size: 1024 }, expect: { body: echo } }
`;

/** Writes the files into a new folder, which goes after the last test of the file. @returns its path */
export async function scenarioFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = tempFolder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

/** A folder as the tool's own: the files are its built-in scenarios. */
export async function toolFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await scenarioFolder({});
  await mkdir(join(root, "scenarios"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, "scenarios", name), text);
  return root;
}
