"""Forks a child, a daemon in a session of its own and a process that wipes its environment; all of them ignore TERM."""

import ctypes
import os
import signal
import sys
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)


def wait_for_ever():
    while True:
        time.sleep(60)


def wipe_environment():
    fields = open("/proc/self/stat").read().rsplit(")", 1)[1].split()
    start, end = int(fields[47]), int(fields[48])
    ctypes.memset(start, 0, end - start)
    assert b"SERVER_BENCH" not in open("/proc/self/environ", "rb").read()


if os.fork() == 0:
    # A grandchild whose parent is gone.
    if os.fork() == 0:
        os.setsid()
        wait_for_ever()
    sys.exit(0)
if os.fork() == 0:
    wipe_environment()
    print("wiped", flush=True)
    wait_for_ever()
print("up", flush=True)
wait_for_ever()
