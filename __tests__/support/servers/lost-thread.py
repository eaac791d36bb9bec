"""Loses a thread while it boots, then uses CPU time that it measures itself: lost-thread.py FOLDER.

The thread uses 0.3 s and ends. Then, for each file FOLDER/N that appears (0, 1, 2 ...), the process uses 4 ms
and writes how much it used, in seconds, to FOLDER/N.done.
"""

import os
import sys
import threading
import time

folder = sys.argv[1]


def burn(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


thread = threading.Thread(target=burn, args=(0.3,))
thread.start()
thread.join()
print("up", flush=True)
number = 0
while True:
    path = os.path.join(folder, str(number))
    if not os.path.exists(path):
        time.sleep(0.03)
        continue
    start = time.process_time()
    burn(0.004)
    used = time.process_time() - start
    with open(path + ".part", "w") as file:
        file.write(str(used))
    os.rename(path + ".part", path + ".done")
    number += 1
