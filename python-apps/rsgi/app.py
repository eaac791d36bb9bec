"""The routes over RSGI, without a framework. The ASGI and the WSGI app answer the same bytes."""

import asyncio
import json
import os

FILES = os.environ["SERVER_BENCH_FILES"]
PNG = os.path.join(FILES, "image-95.png")
JPEG = os.path.join(FILES, "image-50k.jpg")


def headers(content_type, length):
    return [("content-type", content_type), ("content-length", str(length))]


TEXT = "text/plain; charset=utf-8"
SMALL = "Test"
BIG = "x" * 80_000
GREETING = b"Hello, World!"
NOT_FOUND = b"Not Found"


def static_bytes(body, status=200):
    head = headers(TEXT, len(body))

    async def respond(scope, protocol):
        protocol.response_bytes(status, head, body)

    return respond


def static_str(body):
    head = headers(TEXT, len(body))

    async def respond(scope, protocol):
        protocol.response_str(200, head, body)

    return respond


async def echo(scope, protocol):
    body = await protocol()
    protocol.response_bytes(200, headers(TEXT, len(body)), body)


async def echo_stream(scope, protocol):
    """Sends each chunk back when it arrives; the length is the request's, where it announced one."""
    length = scope.headers.get("content-length")
    head = [("content-type", TEXT)] if length is None else headers(TEXT, length)
    transport = protocol.response_stream(200, head)
    async for chunk in protocol:
        # The last chunk is empty, and an announced length has closed the response by then.
        if chunk:
            await transport.send_bytes(chunk)


async def json_message(scope, protocol):
    body = json.dumps({"message": "Hello, World!"}, separators=(",", ":")).encode()
    protocol.response_bytes(200, headers("application/json", len(body)), body)


def file(path, content_type):
    """In RSGI the server reads and sends the file."""
    head = headers(content_type, os.stat(path).st_size)

    async def respond(scope, protocol):
        protocol.response_file(200, head, path)

    return respond


def wait(milliseconds):
    seconds = milliseconds / 1000
    body = SMALL.encode()
    head = headers(TEXT, len(body))

    async def respond(scope, protocol):
        await asyncio.sleep(seconds)
        protocol.response_bytes(200, head, body)

    return respond


png = file(PNG, "image/png")
jpeg = file(JPEG, "image/jpeg")
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
    "/file": png,
    "/file/pathsend": png,
    "/image": jpeg,
    "/image/pathsend": jpeg,
    "/io/10": wait(10),
    "/io/100": wait(100),
    "/json": json_message,
    "/plaintext": greeting,
    "/hello": greeting,
}


def app(scope, protocol):
    return ROUTES.get(scope.path, not_found)(scope, protocol)
