"""One websocket of the load: sends whole messages, and keeps what arrives for the check after the round."""

import socket
from time import perf_counter

from frames import (
    BINARY,
    CLOSE,
    CONTINUATION,
    FIRST_BYTE,
    FRAME_SIZE,
    HEAD,
    PAYLOAD,
    PING,
    PONG,
    SECOND_BYTE,
    TEXT,
    Mask,
    accepted,
    handshake,
    parse,
)

RECEIVE_BYTES = 256 * 1024
HEAD_LIMIT_BYTES = 64 * 1024


class Refused(Exception):
    """The websocket could not be opened; the message is the kind of failure."""


class Connection:
    def __init__(self, client, url, headers, timeout):
        self.client = client
        self.mask = Mask()
        self.outbox = bytearray()
        self.rest = b""
        self.closed = False
        self.begin()
        try:
            self.socket = socket.create_connection((url.hostname, url.port), timeout)
        except ConnectionError:
            raise Refused("connection refused") from None
        except OSError:
            raise Refused("timeout") from None
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._shake_hands(url, headers)
        self.socket.setblocking(False)

    def _shake_hands(self, url, headers):
        target = (url.path or "/") + (f"?{url.query}" if url.query else "")
        request, accept = handshake(url.netloc, target, headers)
        answer = b""
        try:
            self.socket.sendall(request)
            while b"\r\n\r\n" not in answer and len(answer) < HEAD_LIMIT_BYTES:
                data = self.socket.recv(RECEIVE_BYTES)
                if not data:
                    break
                answer += data
        except OSError as error:
            raise Refused("timeout" if isinstance(error, socket.timeout) else "connection closed") from None
        head, end, self.rest = answer.partition(b"\r\n\r\n")
        if not end:
            raise Refused("connection closed")
        if not accepted(head, accept):
            raise Refused("handshake refused")

    def begin(self):
        """Starts a round: nothing has been received."""
        self.blocks = []
        self.seen = 0
        self.wrong = 0
        self.sent_at = []

    def send(self, frame):
        self.outbox += frame
        if len(self.outbox) == len(frame):
            self.flush()

    def flush(self):
        """Sends as much as the kernel accepts."""
        try:
            del self.outbox[: self.socket.send(self.outbox)]
        except BlockingIOError:
            pass
        except OSError:
            self.closed = True
            self.outbox.clear()

    def receive(self):
        """Reads what has arrived."""
        try:
            data = self.socket.recv(RECEIVE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.closed = True
            return
        self.take(data)

    def take(self, data):
        """Counts whole frames of the right size by their first bytes, many at a time; all others one by one."""
        if self.rest:
            data = self.rest + data
        count = len(data) // FRAME_SIZE
        end = count * FRAME_SIZE
        block = data[:end]
        if block[::FRAME_SIZE].count(FIRST_BYTE) == count and block[1::FRAME_SIZE].count(SECOND_BYTE) == count:
            # The beginning of any other frame has to be answered or reported at once.
            if data[end : end + 2] == HEAD[: len(data) - end] or end + 1 == len(data):
                self.rest = data[end:]
                if count:
                    self.seen += count
                    self.blocks.append((perf_counter(), block))
                return
        self._take_one_by_one(data)

    def _take_one_by_one(self, data):
        regular, done = [], 0
        for opcode, final, content, end in parse(data):
            done = end
            if opcode == PING:
                self.send(self.mask.control(PONG, content))
            elif opcode == CLOSE:
                self.closed = True
            elif opcode == BINARY and final and len(content) == PAYLOAD.size:
                regular.append(HEAD + content)
            elif opcode in (BINARY, TEXT):
                self.wrong += 1
            elif opcode == CONTINUATION or opcode != PONG:
                # No message of the load needs several frames: the first frame was counted as wrong.
                continue
        self.seen = self.seen + len(regular)
        self.rest = data[done:]
        if regular:
            self.blocks.append((perf_counter(), b"".join(regular)))

    def check(self, expected, own):
        """
        Counts the round: (right messages, wrong messages, seconds from sending to receiving the own messages).
        `expected`: the frames; `own`: frame -> index in `sent_at`.
        """
        missing = set(expected)
        wrong = self.wrong
        latencies = []
        for at, block in self.blocks:
            frames = [block[i : i + FRAME_SIZE] for i in range(0, len(block), FRAME_SIZE)]
            before = len(missing)
            missing.difference_update(frames)
            wrong += len(frames) - (before - len(missing))
            latencies += [at - self.sent_at[own[frame]] for frame in own.keys() & set(frames)]
        return len(expected) - len(missing), wrong, latencies

    def close(self):
        try:
            self.socket.send(self.mask.control(CLOSE, b"\x03\xe8"))
        except OSError:
            pass
        self.socket.close()
