"""`tiny.py PORT`: the app of its folder's app.py, on one thread. It imports next to nothing: below Valgrind it starts in a second."""

import _socket
import select
import sys

from app import app


def answer() -> bytes:
    parts = []

    async def send(event: dict) -> None:
        if event["type"] == "http.response.start":
            parts.append(b"HTTP/1.1 %d OK\r\n" % event["status"])
            parts.extend(b"%s: %s\r\n" % header for header in event["headers"])
            parts.append(b"\r\n")
        else:
            parts.append(event["body"])

    try:
        # The app waits for nothing, so one step is all of it.
        app({"type": "http"}, None, send).send(None)
    except StopIteration:
        pass
    return b"".join(parts)


listening = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
listening.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
listening.bind(("127.0.0.1", int(sys.argv[1])))
listening.listen(1000)
ready = select.poll()
ready.register(listening.fileno(), select.POLLIN)
connections = {}
while True:
    for fd, _ in ready.poll():
        if fd == listening.fileno():
            new, _ = listening._accept()
            connections[new] = _socket.socket(fileno=new)
            ready.register(new, select.POLLIN)
            continue
        try:
            got = connections[fd].recv(65536)
        except ConnectionError:
            got = b""
        if got:
            connections[fd].send(answer() * got.count(b"\r\n\r\n"))
        else:
            ready.unregister(fd)
            connections.pop(fd).close()
