"""An HTTP/1 server that misbehaves as servers in the field do: misbehaving.py MODE PORT. Its first answers are right."""

import asyncio
import os
import resource
import signal
import sys
import time

mode, port = sys.argv[1], int(sys.argv[2])
RIGHT = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"
served = 0
kept = []


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.pending = b""

    def data_received(self, data):
        global served
        self.pending += data
        while b"\r\n\r\n" in self.pending:
            _, self.pending = self.pending.split(b"\r\n\r\n", 1)
            served += 1
            self.answer()

    def answer(self):
        right = RIGHT
        if served > 1:
            if mode == "grows":
                kept.append(bytearray(b"x") * (128 * 1024))
            if mode == "logs":
                sys.stdout.write("a line of a debug log\n" * 4000)
            if mode == "short":
                # Ends before the length that it announced.
                self.transport.write(b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhello")
                return self.transport.close()
            if mode == "long":
                right = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhello"
            if mode == "garbage-chunks":
                right = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n"
            if mode == "garbage":
                right = b"\x00\xff\x00 no HTTP at all\r\n\r\n"
            if mode == "redirects":
                right = b"HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n"
            if mode == "trickles":
                return asyncio.ensure_future(self.trickle())
        self.transport.write(right)

    async def trickle(self):
        for byte in RIGHT:
            self.transport.write(bytes([byte]))
            await asyncio.sleep(0.2)


async def serve(reuse_port=None):
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", port, reuse_port=reuse_port)
    await server.serve_forever()


if mode == "slow-start":
    time.sleep(2)
if mode == "never-starts":
    while True:
        time.sleep(1)
if mode == "refuses":
    # As a server with few file handles: it accepts what it can.
    resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
if mode == "daemon":
    # Leaves its group, its session and its parent, and serves from there.
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            asyncio.run(serve())
        os._exit(0)
    time.sleep(600)
if mode == "loses-worker":
    parent = os.getpid()
    workers = []
    while os.getpid() == parent:
        if len(workers) == 2:
            time.sleep(0.4)
            os.kill(workers[0], signal.SIGKILL)
            os.waitpid(workers.pop(0), 0)
        workers.append(os.fork())
        if workers[-1] == 0:
            break
    asyncio.run(serve(reuse_port=True))
asyncio.run(serve())
