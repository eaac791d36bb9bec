"""The routes over ASGI, without a framework. The RSGI and the WSGI app answer the same bytes."""

import asyncio
import json
import os

FILES = os.environ["SERVER_BENCH_FILES"]
PNG = os.path.join(FILES, "image-95.png")
JPEG = os.path.join(FILES, "image-50k.jpg")


def start(content_type, length, status=200):
    headers = [(b"content-type", content_type), (b"content-length", b"%d" % length)]
    return {"type": "http.response.start", "status": status, "headers": headers}


TEXT = b"text/plain; charset=utf-8"
SMALL = "Test"
BIG = "x" * 80_000
GREETING = b"Hello, World!"
NOT_FOUND = b"Not Found"
NO_PATHSEND = b"This server has no pathsend"


def static_bytes(body, status=200):
    head = start(TEXT, len(body), status)
    message = {"type": "http.response.body", "body": body}

    async def respond(scope, receive, send):
        await send(head)
        await send(message)

    return respond


def static_str(body):
    """ASGI takes bytes, so a text is encoded by each request."""
    head = start(TEXT, len(body))

    async def respond(scope, receive, send):
        await send(head)
        await send({"type": "http.response.body", "body": body.encode()})

    return respond


async def echo(scope, receive, send):
    message = await receive()
    body = message.get("body", b"")
    if message.get("more_body", False):
        chunks = [body]
        while message.get("more_body", False):
            message = await receive()
            chunks.append(message.get("body", b""))
        body = b"".join(chunks)
    await send(start(TEXT, len(body)))
    await send({"type": "http.response.body", "body": body})


async def echo_stream(scope, receive, send):
    """Sends each chunk back when it arrives; the length is the request's, where it announced one."""
    headers = [(b"content-type", TEXT)]
    headers += [header for header in scope["headers"] if header[0] == b"content-length"]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    more = True
    while more:
        message = await receive()
        more = message.get("more_body", False)
        await send({"type": "http.response.body", "body": message.get("body", b""), "more_body": more})


async def json_message(scope, receive, send):
    body = json.dumps({"message": "Hello, World!"}, separators=(",", ":")).encode()
    await send(start(b"application/json", len(body)))
    await send({"type": "http.response.body", "body": body})


def file(path, content_type):
    """The whole file, read by each request."""
    head = start(content_type, os.stat(path).st_size)

    async def respond(scope, receive, send):
        with open(path, "rb") as opened:
            body = opened.read()
        await send(head)
        await send({"type": "http.response.body", "body": body})

    return respond


def pathsend(path, content_type):
    """Lets the server read and send the file; the answer is 501 where the server lacks the extension."""
    head = start(content_type, os.stat(path).st_size)
    message = {"type": "http.response.pathsend", "path": path}
    unsupported = static_bytes(NO_PATHSEND, 501)

    async def respond(scope, receive, send):
        if "http.response.pathsend" not in scope.get("extensions", ()):
            return await unsupported(scope, receive, send)
        await send(head)
        await send(message)

    return respond


def wait(milliseconds):
    seconds = milliseconds / 1000
    answer = static_bytes(SMALL.encode())

    async def respond(scope, receive, send):
        await asyncio.sleep(seconds)
        await answer(scope, receive, send)

    return respond


greeting = static_bytes(GREETING)
not_found = static_bytes(NOT_FOUND, 404)

ROUTES = {
    "/bytes": static_bytes(SMALL.encode()),
    "/str": static_str(SMALL),
    "/bytes/big": static_bytes(BIG.encode()),
    "/str/big": static_str(BIG),
    "/echo": echo,
    "/echo/stream": echo_stream,
    "/get/1k": static_bytes(b"x" * 1_000),
    "/get/10k": static_bytes(b"x" * 10_000),
    "/file": file(PNG, b"image/png"),
    "/file/pathsend": pathsend(PNG, b"image/png"),
    "/image": file(JPEG, b"image/jpeg"),
    "/image/pathsend": pathsend(JPEG, b"image/jpeg"),
    "/io/10": wait(10),
    "/io/100": wait(100),
    "/json": json_message,
    "/plaintext": greeting,
    "/hello": greeting,
}


async def lifespan(receive, send):
    while True:
        message = await receive()
        await send({"type": message["type"] + ".complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def app(scope, receive, send):
    try:
        path = scope["path"]
    except KeyError:
        return await lifespan(receive, send)
    await ROUTES.get(path, not_found)(scope, receive, send)
