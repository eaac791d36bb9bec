"""Uses a known CPU time: burning.py known FILE | lost FOLDER.

known: when FILE appears, 0.3 s in a thread that ends, 0.4 s in a child that ends and is waited for, 0.2 s in a child that
stays: 0.9 s. Then it makes FILE.done. lost: a thread uses 0.3 s and ends. Then, for each file FOLDER/N that appears (0, 1,
2 ...), it uses 4 ms and writes how much that was, in seconds, to FOLDER/N.done.
"""

import os
import sys
import threading
import time

mode, place = sys.argv[1:]


def burn(seconds: float) -> float:
    start = time.process_time()
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
    return time.process_time() - start


def wait_for(path: str) -> None:
    while not os.path.exists(path):
        time.sleep(0.01)


def lose_thread() -> None:
    thread = threading.Thread(target=burn, args=(0.3,))
    thread.start()
    thread.join()


def write(path: str, text: str = "") -> None:
    with open(path + ".part", "w") as file:
        file.write(text)
    os.rename(path + ".part", path)


if mode == "known":
    if os.fork() == 0:
        wait_for(place)
        burn(0.2)
        write(place + ".child")
        time.sleep(600)
    wait_for(place)
    lose_thread()
    if os.fork() == 0:
        burn(0.4)
        os._exit(0)
    os.wait()
    wait_for(place + ".child")
    write(place + ".done")
    time.sleep(600)
lose_thread()
print("up", flush=True)
number = 0
while True:
    wait_for(f"{place}/{number}")
    write(f"{place}/{number}.done", str(burn(0.004)))
    number += 1
