"""An HTTP/1 server that goes wrong on purpose: faulty.py MODE PORT. Its first answer is always right, unless MODE says.

`closes-idle` closes a connection that sends nothing for half a second; `grows` takes 100 MiB 0.3 s after its start; `late`
listens after 1.5 s; `short` answers every fourth request with a shorter body while it has several connections and the file of its
third argument exists. `limited` answers nothing on connections beyond one. `leaves-cpus` takes all CPUs with its first request under load. `counts` writes the number of its answers into the file of its third argument; `hangs-later` answers until that file
exists.
"""

import asyncio
import mmap
import os
import sys
import time

mode, port = sys.argv[1], int(sys.argv[2])
served = 0
opened = 0


def answer(status: int, body: bytes) -> bytes:
    return b"HTTP/1.1 %d X\r\ncontent-length: %d\r\n\r\n%s" % (status, len(body), body)


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        global opened
        opened += 1
        self.number = opened
        self.transport = transport
        self.pending = b""
        if mode == "closes-idle":
            self.closing = loop.call_later(0.5, transport.abort)

    def connection_lost(self, error):
        global opened
        opened -= 1

    def data_received(self, data):
        if mode == "limited" and self.number > 1:
            return
        if mode == "closes-idle":
            self.closing.cancel()
        self.pending += data
        while b"\r\n\r\n" in self.pending:
            _, self.pending = self.pending.split(b"\r\n\r\n", 1)
            self.serve()

    def serve(self):
        global served
        served += 1
        right = answer(200, b"hello")
        if mode == "wrong-status":
            right = answer(503, b"hello")
        elif mode == "wrong-body":
            right = answer(200, b"help!")
        elif served > 1:
            if mode == "leaves-cpus":
                os.sched_setaffinity(0, range(os.cpu_count()))
            if mode == "hangs" or (mode == "hangs-later" and os.path.exists(sys.argv[3])):
                return
            if mode == "all-500":
                right = answer(500, b"oops")
            if served > {"dies": 100, "dies-later": 1000}.get(mode, served):
                print("fatal: out of luck", file=sys.stderr, flush=True)
                os._exit(7)
            if served % {"drops": 10, "rarely-drops": 1000}.get(mode, served + 1) == 0:
                self.transport.abort()
                return
            if mode == "mixed" and served % 5 == 0:
                right = answer(500, b"oops, sorry")
            if mode == "sizes" and served % 4 == 0:
                right = answer(200, b"hello, you")
            if mode == "short" and served % 4 == 0 and opened > 1 and os.path.exists(sys.argv[3]):
                right = answer(200, b"he")
            if mode == "slow":
                loop.call_later(0.1, self.transport.write, right)
                return
        self.transport.write(right)
        if mode == "counts":
            counted[:] = served.to_bytes(8, "little")


if mode == "counts":
    with open(sys.argv[3], "wb+") as file:
        file.write(bytes(8))
        file.flush()
        counted = mmap.mmap(file.fileno(), 8)
if mode == "exits":
    raise RuntimeError("no such app: app:application")
if mode == "never-listens":
    time.sleep(600)
if mode == "daemonises":
    if os.fork():
        time.sleep(0.3)
        sys.exit(0)
    os.setsid()
if mode == "taken" and not os.path.exists(sys.argv[3]):
    open(sys.argv[3], "w").close()
    sys.exit("OSError: [Errno 98] Address already in use")

if mode == "own-port":
    sys.exit("OSError: [Errno 98] Address already in use")

if mode == "late":
    time.sleep(1.5)

loop = asyncio.new_event_loop()
if mode == "grows":
    kept = []
    loop.call_later(0.3, lambda: kept.append(b"x" * 100 * 1024 * 1024))
loop.run_until_complete(loop.create_server(Connection, "127.0.0.1", port))
loop.run_forever()
