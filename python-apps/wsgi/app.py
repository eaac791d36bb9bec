"""The routes over WSGI, without a framework. The RSGI and the ASGI app answer the same bytes."""

import json
import os
import time

FILES = os.environ["SERVER_BENCH_FILES"]
PNG = os.path.join(FILES, "image-95.png")
JPEG = os.path.join(FILES, "image-50k.jpg")


def headers(content_type, length):
    return [("Content-Type", content_type), ("Content-Length", str(length))]


TEXT = "text/plain; charset=utf-8"
SMALL = "Test"
BIG = "x" * 80_000
GREETING = b"Hello, World!"
NOT_FOUND = b"Not Found"
# WSGI cannot return just what has arrived: the app has to say how many bytes it waits for.
CHUNK = 65_536


def static_bytes(body, status="200 OK"):
    head = headers(TEXT, len(body))
    parts = [body]

    def respond(environ, start_response):
        start_response(status, head)
        return parts

    return respond


def static_str(body):
    """WSGI takes bytes, so a text is encoded by each request."""
    head = headers(TEXT, len(body))

    def respond(environ, start_response):
        start_response("200 OK", head)
        return [body.encode()]

    return respond


def request_length(environ):
    """Bytes of the request's body. Reading beyond them would wait for the next request on some servers."""
    return int(environ.get("CONTENT_LENGTH") or 0)


def echo(environ, start_response):
    body = environ["wsgi.input"].read(request_length(environ))
    start_response("200 OK", headers(TEXT, len(body)))
    return [body]


def echo_stream(environ, start_response):
    """Sends each chunk back when it is read; the length is the request's."""
    length = request_length(environ)
    start_response("200 OK", headers(TEXT, length))
    return chunks(environ["wsgi.input"].read, length)


def chunks(read, left):
    while left > 0:
        chunk = read(min(left, CHUNK))
        if not chunk:
            return
        left -= len(chunk)
        yield chunk


def json_message(environ, start_response):
    body = json.dumps({"message": "Hello, World!"}, separators=(",", ":")).encode()
    start_response("200 OK", headers("application/json", len(body)))
    return [body]


def file(path, content_type):
    """The whole file, read by each request."""
    head = headers(content_type, os.stat(path).st_size)

    def respond(environ, start_response):
        with open(path, "rb") as opened:
            body = opened.read()
        start_response("200 OK", head)
        return [body]

    return respond


def wait(milliseconds):
    seconds = milliseconds / 1000
    answer = static_bytes(SMALL.encode())

    def respond(environ, start_response):
        time.sleep(seconds)
        return answer(environ, start_response)

    return respond


greeting = static_bytes(GREETING)
not_found = static_bytes(NOT_FOUND, "404 Not Found")

ROUTES = {
    "/bytes": static_bytes(SMALL.encode()),
    "/str": static_str(SMALL),
    "/bytes/big": static_bytes(BIG.encode()),
    "/str/big": static_str(BIG),
    "/echo": echo,
    "/echo/stream": echo_stream,
    "/get/1k": static_bytes(b"x" * 1_000),
    "/get/10k": static_bytes(b"x" * 10_000),
    "/file": file(PNG, "image/png"),
    "/image": file(JPEG, "image/jpeg"),
    "/io/10": wait(10),
    "/io/100": wait(100),
    "/json": json_message,
    "/plaintext": greeting,
    "/hello": greeting,
}


def app(environ, start_response):
    return ROUTES.get(environ["PATH_INFO"], not_found)(environ, start_response)
