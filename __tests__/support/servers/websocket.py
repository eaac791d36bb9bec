"""A raw websocket server that broadcasts, in many wrong ways: websocket.py MODE PORT."""

import asyncio
import base64
import hashlib
import sys

mode, port = sys.argv[1], int(sys.argv[2])
members = []
served = 0


def frame(payload, opcode=2):
    return bytes((0x80 | opcode, len(payload))) + payload


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.data, self.open = transport, b"", False

    def connection_lost(self, error):
        if self in members:
            members.remove(self)

    def data_received(self, data):
        self.data += data
        if not self.open:
            head, end, rest = self.data.partition(b"\r\n\r\n")
            if not end:
                return
            self.data = rest
            self.shake_hands(head)
        broadcast = []
        while len(self.data) >= 6:
            size = 6 + (self.data[1] & 0x7F)
            if len(self.data) < size:
                break
            key = int.from_bytes(self.data[2:6] * 4, "big")
            opcode, masked, self.data = self.data[0] & 0x0F, self.data[6:size], self.data[size:]
            if opcode == 2:
                broadcast.append((int.from_bytes(masked, "big") ^ key).to_bytes(len(masked), "big"))
            elif opcode == 8:
                self.transport.close()
        if broadcast:
            self.broadcast(broadcast)

    def shake_hands(self, head):
        if mode == "refuses":
            self.transport.write(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")
            return
        fields = [line.lower() for line in head.split(b"\r\n")]
        asked = (b"get /ws?room=1&as=me http/1.1", b"authorization: bearer t", b"host: chat.example")
        if mode == "room" and not (fields[0] == asked[0] and all(fields.count(field) == 1 for field in asked)):
            self.transport.write(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n")
            return
        key = next(line.split(b": ")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key"))
        digest = hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
        accept = b"no" if mode == "wrong-accept" else base64.b64encode(digest)
        self.transport.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n"
        )
        self.open = True
        members.append(self)
        if mode == "pings":
            self.transport.write(frame(b"there?", 9))

    def broadcast(self, payloads):
        global served
        frames = []
        for payload in payloads:
            # The clients' greetings (round 0) go through.
            served += payload[4:8] != bytes(4)
            if mode == "drops" and served == 500:
                self.transport.abort()
            faulty = served > 0 and served % 100 == 0 and payload[4:8] != bytes(4)
            if mode == "wrong" and faulty:
                payload = payload[:-3] + b"???"
            if mode == "long" and faulty:
                payload += b"?"
            if mode == "loses" and faulty:
                continue
            if mode == "pings" and faulty:
                frames.append(frame(b"", 9))
            frames.append(frame(payload, 1 if mode == "text" else 2))
        whole = b"".join(frames)
        for member in members:
            member.transport.write(whole)


loop = asyncio.new_event_loop()
loop.run_until_complete(loop.create_server(Connection, "127.0.0.1", port))
loop.run_forever()
