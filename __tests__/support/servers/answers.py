"""An HTTP/1 server whose answers are special: answers.py MODE PORT [OWN-PORT]."""

import asyncio
import json
import random
import sys
import time

mode, port = sys.argv[1], int(sys.argv[2])
own_port = int(sys.argv[3]) if len(sys.argv) > 3 else port
started = time.monotonic()
served = 0
seen = {"methods": set(), "connections": 0}


def answer(status, body, *headers):
    lines = [b"HTTP/1.1 %d X" % status, b"content-length: %d" % len(body), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


TEXT = b"content-type: text/plain; charset=utf-8"
JSON = b"content-type: application/json"


def respond(method, target, headers, body):
    global served
    served += 1
    if mode == "login":
        return answer(302, b"", b"location: /accounts/login/?next=/")
    if mode == "late" and time.monotonic() - started < 2.5:
        return answer(503, b"later", b"retry-after: 1")
    if mode == "missing":
        return answer(404, b'{"detail":"Not Found"}', JSON)
    if mode == "varies":
        token = "%x" % random.getrandbits(64)
        return answer(200, json.dumps({"now": time.time(), "token": token, "ok": True}).encode(), JSON)
    if mode == "uptime":
        return answer(200, b"up %d" % (7 if served <= 10 else 8 if served <= 50 else 10), TEXT)
    if mode == "empty-later":
        return answer(200, b"x" * served if served <= 50 or served % 2 else b"", TEXT)
    if mode == "limits" and served > 1500:
        return answer(429, b"slow down", TEXT)
    if mode == "grows":
        return answer(200, b"x" * served, TEXT)
    if mode == "breaks" and served > 50:
        return answer(200, b"hell!", TEXT)
    if mode == "asked":
        return answer(200, json.dumps([method, target, headers.get("x-tried"), body.decode()]).encode(), JSON)
    if mode == "connections":
        return answer(200, b"%06d" % seen["connections"], TEXT)
    if mode == "routes":
        path = target.split("?")[0]
        if path == "/small":
            return answer(200, b"hello", TEXT)
        if path == "/large":
            # One in four is shorter, in a size that the other route has.
            return answer(200, b"hello" if served % 4 == 0 and served > 20 else b"hello" * 100, TEXT)
        return answer(404, b"no route", TEXT)
    return answer(200, b"hello", TEXT)


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.pending = b""
        seen["connections"] += 1

    def data_received(self, data):
        self.pending += data
        while b"\r\n\r\n" in self.pending:
            head, rest = self.pending.split(b"\r\n\r\n", 1)
            first, *lines = head.decode("latin1").split("\r\n")
            headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
            length = int(headers.get("content-length", 0))
            if len(rest) < length:
                return
            self.pending = rest[length:]
            method, target, _ = first.split(" ")
            response = respond(method, target, headers, rest[:length])
            if method == "HEAD":
                response = response.split(b"\r\n\r\n")[0] + b"\r\n\r\n"
            self.transport.write(response)
            if headers.get("connection", "").lower() == "close":
                self.transport.close()


loop = asyncio.new_event_loop()
loop.run_until_complete(loop.create_server(Connection, "127.0.0.1", own_port))
loop.run_forever()
