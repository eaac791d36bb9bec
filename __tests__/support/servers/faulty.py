"""An HTTP/1 server that goes wrong on purpose: faulty.py MODE PORT. Its first answer is always right, unless MODE says."""

import asyncio
import os
import sys
import time

mode, port = sys.argv[1], int(sys.argv[2])
served = 0


def answer(status: int, body: bytes) -> bytes:
    return b"HTTP/1.1 %d X\r\ncontent-length: %d\r\n\r\n%s" % (status, len(body), body)


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.pending = b""

    def data_received(self, data):
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
            if mode == "hangs":
                return
            if mode == "all-500":
                right = answer(500, b"oops")
            if mode == "dies" and served > 100:
                print("fatal: out of luck", file=sys.stderr, flush=True)
                os._exit(7)
            if mode == "drops" and served % 10 == 0:
                self.transport.abort()
                return
            if mode == "mixed" and served % 5 == 0:
                right = answer(500, b"oops, sorry")
            if mode == "sizes" and served % 4 == 0:
                right = answer(200, b"hello, you")
            if mode == "slow":
                loop.call_later(0.1, self.transport.write, right)
                return
        self.transport.write(right)


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

loop = asyncio.new_event_loop()
loop.run_until_complete(loop.create_server(Connection, "127.0.0.1", port))
loop.run_forever()
