"""Answers in pieces, and large request bodies, over RSGI. The ASGI and the WSGI app answer the same bytes."""

import asyncio

TEXT = "text/plain; charset=utf-8"
EVENTS = [b"data: %d\n\n" % number for number in range(20)]
EVENT_SECONDS = 0.005
CHUNK = b"x" * 65_536
CHUNKS = 16


def finish(protocol, body, status=200):
    protocol.response_bytes(status, [("content-type", TEXT), ("content-length", str(len(body)))], body)


async def events(protocol):
    """20 events, one every 5 ms."""
    transport = protocol.response_stream(200, [("content-type", "text/event-stream")])
    for event in EVENTS:
        await transport.send_bytes(event)
        await asyncio.sleep(EVENT_SECONDS)


async def chunks(protocol):
    """1 MiB, without a Content-Length."""
    transport = protocol.response_stream(200, [("content-type", TEXT)])
    for _ in range(CHUNKS):
        await transport.send_bytes(CHUNK)


async def upload_stream(protocol):
    """Counts the bytes of each piece and keeps none."""
    size = 0
    async for piece in protocol:
        size += len(piece)
    finish(protocol, b"%d" % size)


async def upload_whole(protocol):
    """Keeps the whole body, as a framework that parses it does."""
    body = await protocol()
    finish(protocol, b"%d" % len(body))


async def not_found(protocol):
    finish(protocol, b"Not Found", 404)


ROUTES = {
    "/events": events,
    "/chunks": chunks,
    "/upload/stream": upload_stream,
    "/upload/whole": upload_whole,
}


async def app(scope, protocol):
    await ROUTES.get(scope.path, not_found)(protocol)
