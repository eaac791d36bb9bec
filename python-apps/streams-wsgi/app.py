"""Answers in pieces, and large request bodies, over WSGI. The ASGI and the RSGI app answer the same bytes."""

import time

TEXT = "text/plain; charset=utf-8"
EVENTS = [b"data: %d\n\n" % number for number in range(20)]
EVENT_SECONDS = 0.005
CHUNK = b"x" * 65_536
CHUNKS = 16


def finish(start_response, content_type, body, status="200 OK"):
    start_response(status, [("Content-Type", content_type), ("Content-Length", str(len(body)))])
    return [body]


def events(environ, start_response):
    """20 events, one every 5 ms."""
    start_response("200 OK", [("Content-Type", "text/event-stream")])
    return paced()


def paced():
    for event in EVENTS:
        yield event
        time.sleep(EVENT_SECONDS)


def chunks(environ, start_response):
    """1 MiB, without a Content-Length."""
    start_response("200 OK", [("Content-Type", TEXT)])
    return (CHUNK for _ in range(CHUNKS))


def pieces(environ):
    left = int(environ.get("CONTENT_LENGTH") or 0)
    while left > 0:
        piece = environ["wsgi.input"].read(min(left, len(CHUNK)))
        if not piece:
            return
        left -= len(piece)
        yield piece


def upload_stream(environ, start_response):
    """Counts the bytes of each piece and keeps none."""
    size = sum(len(piece) for piece in pieces(environ))
    return finish(start_response, TEXT, b"%d" % size)


def upload_whole(environ, start_response):
    """Keeps the whole body, as a framework that parses it does."""
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    return finish(start_response, TEXT, b"%d" % len(body))


def not_found(environ, start_response):
    return finish(start_response, TEXT, b"Not Found", "404 Not Found")


ROUTES = {
    "/events": events,
    "/chunks": chunks,
    "/upload/stream": upload_stream,
    "/upload/whole": upload_whole,
}


def app(environ, start_response):
    return ROUTES.get(environ["PATH_INFO"], not_found)(environ, start_response)
