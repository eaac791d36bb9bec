"""`counted.py MODE PORT`: servers whose work is hard to count, or whose memory is hard to sample."""

import asyncio
import os
import socket
import subprocess
import sys

MODE, PORT = sys.argv[1], int(sys.argv[2])
BODY = b"hello"
HEAD = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {len(BODY)}\r\n\r\n".encode()


def work(turns: int) -> None:
    for _ in range(turns):
        pass


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    memory = bytearray(2**20) if MODE == "memory-per-connection" else None
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            if MODE == "starts-programs":
                subprocess.run(["true"], check=True)
            if MODE == "waits":
                await asyncio.sleep(0.15)
            if b" /heavy " in head:
                work(20_000)
            writer.write(HEAD + BODY)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()
        del memory


async def serve(listening: socket.socket) -> None:
    server = await asyncio.start_server(answer, sock=listening)
    await server.serve_forever()


listening = socket.create_server(("127.0.0.1", PORT), backlog=1000)
# The second worker imports for a long time, while the first one answers.
if MODE == "slow-worker" and os.fork() == 0:
    work(4_000_000)
asyncio.run(serve(listening))
