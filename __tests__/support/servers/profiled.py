"""An HTTP/1 server with a function that works: profiled.py PORT TURNS [dies | hidden | workers | pool]."""

import asyncio
import concurrent.futures
import ctypes
import os
import sys

port, turns, *modes = sys.argv[1:]
PR_SET_DUMPABLE = 4
POOL = concurrent.futures.ThreadPoolExecutor(40)
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"


def planted(count):
    total = 0
    for one in range(count):
        total += one
    return total


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        for _ in range(data.count(b"\r\n\r\n")):
            if "pool" in modes:
                work = asyncio.get_running_loop().run_in_executor(POOL, planted, int(turns))
                work.add_done_callback(lambda _: self.transport.write(ANSWER))
                continue
            planted(int(turns))
            self.transport.write(ANSWER)


async def main():
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", int(port), reuse_port=True)
    if "dies" in modes:
        asyncio.get_running_loop().call_later(4, os._exit, 7)
    await server.serve_forever()


if "hidden" in modes:
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
if "workers" in modes and os.fork() > 0:
    os.wait()
    sys.exit()
asyncio.run(main())
