"""Broadcasting over ASGI websockets: what one client sends, every connected client gets."""

clients = set()
# The clients that get a broadcast: rebuilt when a client comes or goes, not for each message.
members = ()


def join(send):
    global members
    clients.add(send)
    members = tuple(clients)


def leave(send):
    global members
    clients.discard(send)
    members = tuple(clients)


async def broadcast(message):
    event = {"type": "websocket.send", "bytes": message}
    for send in members:
        try:
            await send(event)
        except OSError:
            # This client has just left; its own handler will notice.
            leave(send)


async def websocket(receive, send):
    if (await receive())["type"] != "websocket.connect":
        return
    await send({"type": "websocket.accept"})
    join(send)
    try:
        while True:
            event = await receive()
            if event["type"] == "websocket.disconnect":
                return
            await broadcast(event["bytes"])
    finally:
        leave(send)


async def lifespan(receive, send):
    while True:
        message = await receive()
        await send({"type": message["type"] + ".complete"})
        if message["type"] == "lifespan.shutdown":
            return


async def not_found(send):
    await send({"type": "http.response.start", "status": 404, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
    elif scope["type"] == "websocket" and scope["path"] == "/ws":
        await websocket(receive, send)
    elif scope["type"] == "websocket":
        await send({"type": "websocket.close"})
    else:
        await not_found(send)
