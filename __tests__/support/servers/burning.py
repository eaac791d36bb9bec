"""Uses a known CPU time: burning.py FILE starts when FILE appears, and makes FILE.done.

0.3 s in a thread that ends, 0.4 s in a child that ends and is waited for, 0.2 s in a child that stays: 0.9 s.
"""

import os
import sys
import threading
import time

signal_file = sys.argv[1]


def burn(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def wait_for(path: str) -> None:
    while not os.path.exists(path):
        time.sleep(0.01)


stays = os.fork()
if stays == 0:
    wait_for(signal_file)
    burn(0.2)
    open(signal_file + ".child", "w").close()
    time.sleep(600)
wait_for(signal_file)
thread = threading.Thread(target=burn, args=(0.3,))
thread.start()
thread.join()
ends = os.fork()
if ends == 0:
    burn(0.4)
    os._exit(0)
os.waitpid(ends, 0)
wait_for(signal_file + ".child")
open(signal_file + ".done", "w").close()
time.sleep(600)
