"""Leaves processes that hide: without the run's variables, in sessions of their own, their parents gone.

escaping.py PIDS: appends the pid of each to this file. It stops or kills its supervisor when `stop` or `kill` is given too.
"""

import os
import signal
import sys
import time

pids, *how = sys.argv[1:]

for _ in range(2):
    if os.fork() == 0:
        if os.fork() == 0:
            script = 'echo $$ >> "$0"; trap "" TERM; while :; do sleep 1; done'
            os.execvp("setsid", ["setsid", "env", "-i", "/bin/sh", "-c", script, pids])
        os._exit(0)
    os.wait()
supervisor = os.getppid()
while len(open(pids).read().split() if os.path.exists(pids) else []) < 2:
    time.sleep(0.01)
if "kill" in how:
    os.kill(supervisor, signal.SIGKILL)
if "stop" in how:
    os.kill(supervisor, signal.SIGSTOP)
print("up", flush=True)
if "end" in how:
    sys.exit(7)
time.sleep(600)
