"""The part of RFC 6455 that a broadcast needs: masked frames to send, frames to read, and the handshake."""

import base64
import hashlib
import os
import struct

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

# run, round, client, number of the message in its round, filling
PAYLOAD = struct.Struct(">4sIHI2x")
# A server's frame of such a payload: no mask, all of one size.
FRAME_SIZE = 2 + PAYLOAD.size
FIRST_BYTE = bytes((0x80 | BINARY,))
SECOND_BYTE = bytes((PAYLOAD.size,))
HEAD = FIRST_BYTE + SECOND_BYTE


def payload(run, number, client, message):
    return PAYLOAD.pack(run, number, client, message)


class Mask:
    """Masks a client's frames, with one random key for all frames of a connection."""

    def __init__(self):
        self.key = os.urandom(4)
        self.head = bytes((0x80 | BINARY, 0x80 | PAYLOAD.size)) + self.key
        self.bits = int.from_bytes(self.key * (PAYLOAD.size // 4), "big")

    def frame(self, data):
        """The frame of one message."""
        return self.head + (int.from_bytes(data, "big") ^ self.bits).to_bytes(PAYLOAD.size, "big")

    def control(self, opcode, data=b""):
        masked = bytes(byte ^ self.key[i % 4] for i, byte in enumerate(data))
        return bytes((0x80 | opcode, 0x80 | len(data))) + self.key + masked


def parse(data):
    """Yields (opcode, final, payload, end) of each whole frame of a server."""
    start = 0
    while len(data) - start >= 2:
        first, second = data[start], data[start + 1]
        size, head = second & 0x7F, 2
        if size >= 126:
            head = 4 if size == 126 else 10
            if len(data) - start < head:
                return
            size = int.from_bytes(data[start + 2 : start + head], "big")
        end = start + head + size
        if len(data) < end:
            return
        yield first & 0x0F, bool(first & 0x80), data[start + head : end], end
        start = end


def handshake(host, target, headers):
    """
    The request, and the value of Sec-WebSocket-Accept that answers it. No extension is offered.
    `headers`: `name: value`, besides those of the handshake.
    """
    key = base64.b64encode(os.urandom(16))
    named_host = any(header.lower().startswith("host:") for header in headers)
    request = b"\r\n".join(
        (
            b"GET %s HTTP/1.1" % target.encode(),
            *([] if named_host else [b"Host: %s" % host.encode()]),
            *(header.encode("latin-1") for header in headers),
            b"Upgrade: websocket",
            b"Connection: Upgrade",
            b"Sec-WebSocket-Version: 13",
            b"Sec-WebSocket-Key: " + key,
            b"\r\n",
        )
    )
    return request, base64.b64encode(hashlib.sha1(key + GUID).digest())


def accepted(answer, accept):
    """Whether the head of an answer accepts the handshake."""
    lines = answer.split(b"\r\n")
    status = lines[0].split(b" ")
    fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines[1:])}
    return status[1:2] == [b"101"] and fields.get(b"sec-websocket-accept") == accept
