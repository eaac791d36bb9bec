"""
Loads a websocket server that broadcasts, in rounds: each client sends its messages and waits for those of all.
Prints one line of JSON: what was sent and received in complete rounds, their seconds, and every failure.
"""

import argparse
import json
import multiprocessing
import os
from time import perf_counter, process_time
from urllib.parse import urlsplit

from worker import add, serve

# Messages to receive in a round, over all clients: so many that its beginning and end do not count, and about a second of them.
DELIVERIES = 32768
PERCENTILES = (50, 60, 70, 75, 80, 90, 95, 99)


def options():
    parser = argparse.ArgumentParser(prog="websocket", description=__doc__)
    parser.add_argument("--url", type=urlsplit, required=True)
    parser.add_argument("--header", action="append", default=[], help="name: value")
    parser.add_argument("--clients", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--timeout", type=float, default=10)
    parser.add_argument("--deliveries", type=int, help="messages to receive in the only round, instead of --seconds of rounds")
    parsed = parser.parse_args()
    parsed.run = os.urandom(4)
    parsed.messages = max(1, (parsed.deliveries or DELIVERIES) // parsed.clients**2)
    return parsed


class Team:
    """One process for each CPU, each with its share of the clients."""

    def __init__(self, chosen):
        cpus = sorted(os.sched_getaffinity(0))[: chosen.clients]
        context = multiprocessing.get_context("fork")
        self.pipes = []
        for i, cpu in enumerate(cpus):
            ours, theirs = context.Pipe()
            clients = list(range(chosen.clients * i // len(cpus), chosen.clients * (i + 1) // len(cpus)))
            context.Process(target=serve, args=(theirs, [*self.pipes, ours], chosen, cpu, clients), daemon=True).start()
            theirs.close()
            self.pipes.append(ours)

    def one_by_one(self, *command):
        for pipe in self.pipes:
            pipe.send(command)
            yield pipe.recv()

    def all(self, *command):
        for pipe in self.pipes:
            pipe.send(command)
        return [pipe.recv() for pipe in self.pipes]


class Totals:
    def __init__(self):
        self.rounds = self.sent = self.received = 0
        self.seconds = self.send_seconds = self.cpu_seconds = 0.0
        self.failures = {}
        self.latencies = []
        self.whole = True

    def failed(self, parts):
        for part in parts:
            for kind, n in part["failures"].items():
                add(self.failures, kind, n)
        # Messages are missing although every client was connected.
        if "missing message" in self.failures and "connection closed" not in self.failures:
            self.failures["timeout"] = 1

    def add(self, parts):
        """Adds a round; of an incomplete one only the failures."""
        self.failed(parts)
        if not all(part["whole"] for part in parts):
            self.whole = False
            return
        start = min(part["start"] for part in parts)
        self.rounds += 1
        self.seconds += max(part["end"] for part in parts) - start
        self.send_seconds += max(part["sentAt"] for part in parts) - start
        for part in parts:
            self.sent += part["sent"]
            self.received += part["received"]
            self.cpu_seconds += part["cpu"]
            self.latencies += part["latencies"]

    def result(self, clients, messages, program_cpu_seconds):
        return {
            "whole": self.whole,
            "clients": clients,
            "messagesPerClient": messages,
            "rounds": self.rounds,
            "sent": self.sent,
            "received": self.received,
            "seconds": self.seconds,
            "sendSeconds": self.send_seconds,
            "cpuSeconds": self.cpu_seconds,
            "programCpuSeconds": program_cpu_seconds,
            "failures": self.failures,
            "latencyMs": milliseconds(sorted(self.latencies)),
        }


def milliseconds(latencies):
    """Percentiles by oha's definition: the sorted values at index floor(p / 100 * n)."""
    if not latencies:
        return None
    found = {f"p{p}": latencies[int(p / 100 * len(latencies))] * 1000 for p in PERCENTILES}
    return {"mean": sum(latencies) / len(latencies) * 1000, **found, "max": latencies[-1] * 1000}


def load(team, chosen):
    totals = Totals()
    for part in team.one_by_one("connect"):
        if part["failures"]:
            totals.failed([part])
            totals.whole = False
            return totals
    settled = team.all("settle")
    totals.failed(settled)
    totals.whole = all(part["whole"] for part in settled)
    last = 0.0
    began = perf_counter()
    # The window ends with the round that brings its time nearest to the requested seconds.
    while totals.whole and (totals.rounds == 0 or (not chosen.deliveries and totals.seconds + last / 2 < chosen.seconds)):
        before = totals.seconds
        totals.add(team.all("round", totals.rounds + 1, began + 2 * chosen.seconds + chosen.timeout))
        last = totals.seconds - before
    return totals


def main():
    chosen = options()
    team = Team(chosen)
    totals = load(team, chosen)
    # Only while the workers live: the kernel forgets what an ended process used, but for its ticks.
    program = process_time() + sum(team.all("cpu_seconds"))
    print(json.dumps(totals.result(chosen.clients, chosen.messages, program)), flush=True)
    team.all("close")


main()
