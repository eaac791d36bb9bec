"""Broadcasting over RSGI websockets: what one client sends, every connected client gets."""

from granian.rsgi import ProtocolClosed, WebsocketMessageType

clients = set()
# The clients that get a broadcast: rebuilt when a client comes or goes, not for each message.
members = ()


def join(transport):
    global members
    clients.add(transport)
    members = tuple(clients)


def leave(transport):
    global members
    clients.discard(transport)
    members = tuple(clients)


async def broadcast(message):
    for transport in members:
        try:
            await transport.send_bytes(message)
        except ProtocolClosed:
            # This client has just left; its own handler will notice.
            leave(transport)


async def websocket(protocol):
    transport = await protocol.accept()
    join(transport)
    try:
        while True:
            message = await transport.receive()
            if message.kind == WebsocketMessageType.close:
                return
            await broadcast(message.data)
    except ProtocolClosed:
        # The client left without a close frame.
        pass
    finally:
        leave(transport)
        protocol.close()


async def app(scope, protocol):
    if scope.proto != "ws":
        protocol.response_empty(404, [])
    elif scope.path == "/ws":
        await websocket(protocol)
    else:
        protocol.close(404)
