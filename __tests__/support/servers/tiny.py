"""
`tiny.py PORT`: the app of its folder's app.py, on one thread. It imports next to nothing, so that it starts in no time, below
Valgrind in a second. Where the app has WAIT_SEC, each answer comes so much later.
"""

import _socket
import select
import sys
import time

import app

WAIT_SEC = getattr(app, "WAIT_SEC", 0)


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
        # It waits for nothing, so one step is all of it.
        app.app({"type": "http", "waited": True}, None, send).send(None)
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
# Of answers: when, and on which connection.
due = []


def close(connection: _socket.socket) -> None:
    ready.unregister(connection)
    del connections[connection.fileno()]
    connection.close()


def respond(connection: _socket.socket) -> None:
    if connection.fileno() < 0:
        return
    try:
        connection.send(answer())
    except OSError:
        close(connection)


def take(connection: _socket.socket) -> None:
    try:
        request = connection.recv(65536)
    except OSError:
        request = b""
    if not request:
        close(connection)
    elif WAIT_SEC:
        due.append((time.monotonic() + WAIT_SEC, connection))
    else:
        respond(connection)


while True:
    left = max(0, due[0][0] - time.monotonic()) * 1000 if due else None
    for fd, _ in ready.poll(left):
        if fd == listening.fileno():
            new, _ = listening._accept()
            connections[new] = _socket.socket(fileno=new)
            ready.register(new, select.POLLIN)
        else:
            take(connections[fd])
    while due and due[0][0] <= time.monotonic():
        respond(due.pop(0)[1])
