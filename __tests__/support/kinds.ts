/** Rows of uvicorn under every kind of load that the built-in sets have. */
import { writeSide } from "./repository.js";

/** @param burn turns of an empty loop for each piece @param startSec of sleep while it is imported */
const app = (burn: number, startSec: number) => `import time
time.sleep(${startSec})


def burn():
    for _ in range(${burn}):
        pass


async def app(scope, receive, send):
    size = 0
    more = scope["method"] == "POST"
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
        burn()
    burn()
    start = {"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]}
    if scope["path"] == "/pieces":
        await send(start)
        for _ in range(4):
            burn()
            await send({"type": "http.response.body", "body": b"x" * 1000, "more_body": True})
        return await send({"type": "http.response.body", "body": b""})
    body = b"%d" % size
    start["headers"].append((b"content-length", b"%d" % len(body)))
    await send(start)
    await send({"type": "http.response.body", "body": body})
`;

const FILES = {
  "bench/servers.yml": `apps:
  kinds: { interface: asgi, path: ../kinds }
  slow-start: { interface: asgi, path: ../slow-start }
requests:
  zero: { path: /, expect: { body: { text: "0" } } }
  pieces: { path: /pieces, expect: { body: { repeat: x, size: 4000 } } }
  upload: { method: POST, path: /, body: { repeat: x, size: 1000000 }, expect: { body: { text: "1000000" } } }
`,
  "bench/kinds.yml": `title: Kinds of load
columns: [rps, p99, "p99.9", first-byte, mb-per-sec, memory, idle-memory, startup]
defaults: { server: uvicorn, app: kinds, request: zero, connections: 8 }
rows:
  - { title: handshakes, tls: true, keep-alive: false }
  - { title: idle, idle-connections: 200 }
  - { title: half, rate: 50% }
  - { title: pieces, request: pieces }
  - { title: upload, request: upload }
  - { title: socket, unix-socket: true }
  - { title: start, app: slow-start, startup: true }
`,
};

export interface Planted {
  /** Turns of an empty loop for each piece of a body. */
  readonly burn: number;
  /** Seconds that the start of the app of `start` takes longer. */
  readonly startSec: number;
}

export const NOTHING_PLANTED: Planted = { burn: 0, startSec: 0 };

/** @returns the folder of the side; its set `kinds` is in `bench` */
export function writeKinds(temp: string, side: string, { burn, startSec }: Planted): string {
  return writeSide(temp, side, { ...FILES, "kinds/app.py": app(burn, 0), "slow-start/app.py": app(0, startSec) });
}
