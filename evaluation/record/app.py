"""Answers 10 KB over ASGI, RSGI and WSGI, after the work that PLANT names.

Every turn of a kind costs about the same, so a calibration can choose how many turns are a per cent of a request.
"""

import os
import threading
import time
from asyncio import sleep
from itertools import repeat
from random import Random

PLANT = os.environ.get("PLANT", "none")
TURNS = int(os.environ.get("TURNS", "0"))
STALL_SHARE = float(os.environ.get("STALL_SHARE", "0"))
STALL_SEC = float(os.environ.get("STALL_SEC", "0"))
IDLE_SHARE = float(os.environ.get("IDLE_SHARE", "0"))

# As long as two blocks of turns.
STRETCH_SEC = 0.4
IDLE_STEP_SEC = 0.05
# Beyond every cache. Each line that is read lies on another page.
LINES_APART = 4096 + 64
MEMORY = b"x" * (64 * 1024 * 1024) if PLANT == "cache" else b""

BODY = b"x" * 10_000
ASGI_HEADERS = [(b"content-type", b"text/plain"), (b"content-length", b"10000")]
HEADERS = [("content-type", "text/plain"), ("content-length", "10000")]

chance = Random(1).random
last_request = 0.0
cursor = 0


def no_work():
    pass


def burn():
    for _ in repeat(None, TURNS):
        pass


def burn_every_second_stretch():
    if int(time.monotonic() / STRETCH_SEC) % 2 == 0:
        burn()


def allocate():
    for _ in repeat(None, TURNS):
        bytearray(2048)


def call_system():
    for _ in repeat(None, TURNS):
        os.getppid()


def miss_caches():
    global cursor
    length = TURNS * LINES_APART
    cursor = (cursor + 64 * 1021) % (len(MEMORY) - length)
    MEMORY[cursor : cursor + length : LINES_APART]


def note_request():
    global last_request
    last_request = time.monotonic()


def burn_when_idle():
    while True:
        time.sleep(IDLE_STEP_SEC * (1 - IDLE_SHARE))
        end = time.monotonic() + IDLE_STEP_SEC * IDLE_SHARE
        while last_request < end - 2 * IDLE_STEP_SEC and time.monotonic() < end:
            pass


if PLANT == "idle":
    threading.Thread(target=burn_when_idle, daemon=True).start()

work = {
    "cpu": burn,
    "alternate": burn_every_second_stretch,
    "allocation": allocate,
    "syscalls": call_system,
    "cache": miss_caches,
    "idle": note_request,
}.get(PLANT, no_work)


async def asgi(scope, receive, send):
    work()
    if STALL_SHARE and chance() < STALL_SHARE:
        await sleep(STALL_SEC)
    await send({"type": "http.response.start", "status": 200, "headers": ASGI_HEADERS})
    await send({"type": "http.response.body", "body": BODY})


async def rsgi(scope, protocol):
    work()
    if STALL_SHARE and chance() < STALL_SHARE:
        await sleep(STALL_SEC)
    protocol.response_bytes(200, HEADERS, BODY)


def wsgi(environ, start_response):
    work()
    if STALL_SHARE and chance() < STALL_SHARE:
        time.sleep(STALL_SEC)
    start_response("200 OK", HEADERS)
    return [BODY]
