"""The websockets of one process, on one CPU: connects them, and runs a round on all of them."""

import os
import select
import time
from time import perf_counter

from connection import Connection, Refused
from frames import HEAD, payload

# A pause of this length per connection between two polls lets several frames arrive at once: waking up for each frame
# would cost client and server more than the frame itself. There is no pause for the last frames of a round.
PAUSE_SEC_PER_CONNECTION = 0.000025
LAST_SHARE = 0.05
# A round that lost a connection cannot be completed: wait this long for frames that are still on their way.
GRACE_SEC = 0.2


def add(counts, kind, n=1):
    if n:
        counts[kind] = counts.get(kind, 0) + n


class Worker:
    def __init__(self, options, cpu, mine):
        os.sched_setaffinity(0, {cpu})
        self.options = options
        self.parent = os.getppid()
        self.mine = mine
        self.connections = []
        self.poll = select.epoll()

    def connect(self):
        """
        Connects the clients one after the other. A client that has received its own message is known to receive the
        messages of all who connect after it, so it is known how many messages each has to get.
        """
        failures = {}
        for client in self.mine:
            options = self.options
            try:
                connection = Connection(client, options.url, options.header, options.timeout)
            except Refused as refused:
                add(failures, str(refused), 1)
                break
            self.connections.append(connection)
            self.poll.register(connection.socket, select.EPOLLIN)
            hello = payload(options.run, 0, client, 0)
            connection.sent_at.append(perf_counter())
            connection.send(connection.mask.frame(hello))
            connection.take(b"")
            if not self._own_hello(connection):
                add(failures, "connection closed" if connection.closed else "missing message")
                break
        return {"failures": failures}

    def _own_hello(self, connection):
        end = perf_counter() + self.options.timeout
        with select.epoll() as poll:
            poll.register(connection.socket, select.EPOLLIN)
            while connection.seen + connection.wrong == 0 and not connection.closed:
                if not poll.poll(max(0, end - perf_counter())):
                    return False
                connection.receive()
        return not connection.closed

    def settle(self):
        """Waits until each client has received the greetings of all who connected after it."""
        run, clients = self.options.run, self.options.clients
        hellos = [HEAD + payload(run, 0, client, 0) for client in range(clients)]
        expected = {connection.client: frozenset(hellos[connection.client :]) for connection in self.connections}
        result = self._exchange(0, expected, perf_counter() + self.options.timeout)
        return self._checked(result, expected, 0)

    def round(self, number, end):
        """Every client sends its messages and gets those of all; at the time `end` the round has failed."""
        options = self.options
        messages = range(options.messages)
        for connection in self.connections:
            connection.begin()
            client, frame = connection.client, connection.mask.frame
            connection.to_send = [frame(payload(options.run, number, client, message)) for message in messages]
        everything = frozenset(
            HEAD + payload(options.run, number, client, message)
            for client in range(options.clients)
            for message in messages
        )
        expected = {connection.client: everything for connection in self.connections}
        result = self._exchange(options.messages, expected, end)
        return self._checked(result, expected, number)

    def _exchange(self, messages, expected, end):
        """Sends, and receives until all messages are there. Only this is timed."""
        connections = self.connections
        by_descriptor = {connection.socket.fileno(): connection for connection in connections}
        total = sum(map(len, expected.values()))
        last = total * LAST_SHARE
        pause = PAUSE_SEC_PER_CONNECTION * len(connections)
        cpu = time.process_time()
        start = progress_at = perf_counter()
        sent_at = None
        next_message = seen = 0
        while True:
            if next_message < messages:
                for connection in connections:
                    connection.sent_at.append(perf_counter())
                    connection.send(connection.to_send[next_message])
                next_message += 1
            elif total - seen > last:
                time.sleep(pause)
            for descriptor, _ in self.poll.poll(0 if next_message < messages else 0.05):
                by_descriptor[descriptor].receive()
            for connection in connections:
                if connection.outbox:
                    connection.flush()
            if sent_at is None and next_message == messages and not any(c.outbox for c in connections):
                sent_at = perf_counter()
            before, seen = seen, sum(connection.seen + connection.wrong for connection in connections)
            now = perf_counter()
            if seen >= total and sent_at is not None:
                break
            if seen > before:
                progress_at = now
            if any(connection.closed for connection in connections):
                end = min(end, now + GRACE_SEC)
                self._forget_closed()
            if now > end or now > progress_at + self.options.timeout:
                break
            if os.getppid() != self.parent:
                raise SystemExit("the websocket client was ended")
        return {"start": start, "sentAt": sent_at or now, "end": now, "cpu": time.process_time() - cpu}

    def _forget_closed(self):
        for connection in self.connections:
            if connection.closed:
                try:
                    self.poll.unregister(connection.socket)
                except OSError:
                    # It was unregistered before.
                    pass

    def _checked(self, result, expected, number):
        failures = {}
        received = missing = 0
        latencies = []
        for connection in self.connections:
            client = connection.client
            own = {
                HEAD + payload(self.options.run, number, client, message): message
                for message in range(len(connection.sent_at))
            }
            right, wrong, seconds = connection.check(expected[client], own)
            received += right
            latencies += seconds
            add(failures, "wrong message", wrong)
            # A wrong message instead of a right one is one failure, not two.
            missing += max(0, len(expected[client]) - right - wrong)
            add(failures, "connection closed", int(connection.closed))
        add(failures, "missing message", missing)
        whole = missing == 0 and "connection closed" not in failures
        sent = sum(len(connection.sent_at) for connection in self.connections)
        return {**result, "sent": sent, "received": received, "failures": failures, "whole": whole, "latencies": latencies}

    def cpu_seconds(self):
        """Since the process began."""
        return time.process_time()

    def close(self):
        for connection in self.connections:
            connection.close()
        return None


def serve(pipe, not_ours, *arguments):
    """Runs the commands from the pipe until one is `close` or the pipe ends."""
    for inherited in not_ours:
        inherited.close()
    worker = Worker(*arguments)
    while True:
        try:
            command, *values = pipe.recv()
        except EOFError:
            return
        pipe.send(getattr(worker, command)(*values))
        if command == "close":
            return
