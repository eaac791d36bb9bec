"""Answers in pieces, and large request bodies, over ASGI. The RSGI and the WSGI app answer the same bytes."""

import asyncio

TEXT = b"text/plain; charset=utf-8"
EVENTS = [b"data: %d\n\n" % number for number in range(20)]
EVENT_SECONDS = 0.005
CHUNK = b"x" * 65_536
CHUNKS = 16


def start(content_type, length=None, status=200):
    headers = [(b"content-type", content_type)]
    if length is not None:
        headers.append((b"content-length", b"%d" % length))
    return {"type": "http.response.start", "status": status, "headers": headers}


async def finish(send, content_type, body, status=200):
    await send(start(content_type, len(body), status))
    await send({"type": "http.response.body", "body": body})


async def events(receive, send):
    """20 events, one every 5 ms."""
    await send(start(b"text/event-stream"))
    for event in EVENTS:
        await send({"type": "http.response.body", "body": event, "more_body": True})
        await asyncio.sleep(EVENT_SECONDS)
    await send({"type": "http.response.body", "body": b""})


async def chunks(receive, send):
    """1 MiB, without a Content-Length."""
    await send(start(TEXT))
    for _ in range(CHUNKS):
        await send({"type": "http.response.body", "body": CHUNK, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def upload_stream(receive, send):
    """Counts the bytes of each piece and keeps none."""
    size = 0
    more = True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    await finish(send, TEXT, b"%d" % size)


async def upload_whole(receive, send):
    """Keeps the whole body, as a framework that parses it does."""
    pieces = []
    more = True
    while more:
        message = await receive()
        pieces.append(message.get("body", b""))
        more = message.get("more_body", False)
    await finish(send, TEXT, b"%d" % len(b"".join(pieces)))


async def not_found(receive, send):
    await finish(send, TEXT, b"Not Found", 404)


ROUTES = {
    "/events": events,
    "/chunks": chunks,
    "/upload/stream": upload_stream,
    "/upload/whole": upload_whole,
}


async def lifespan(receive, send):
    while True:
        message = await receive()
        await send({"type": message["type"] + ".complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        return await lifespan(receive, send)
    await ROUTES.get(scope["path"], not_found)(receive, send)
