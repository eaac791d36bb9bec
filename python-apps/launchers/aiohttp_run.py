"""aiohttp's server for an Application. It has no command line for its event loop and for TLS."""

import argparse
import asyncio
import ssl

from aiohttp import web
from launch_arguments import imported

parser = argparse.ArgumentParser()
parser.add_argument("target")
parser.add_argument("--host", required=True)
parser.add_argument("--port", type=int, required=True)
parser.add_argument("--loop", choices=["asyncio", "uvloop"], required=True)
parser.add_argument("--cert")
parser.add_argument("--key")
given = parser.parse_args()


def new_loop():
    if given.loop == "uvloop":
        import uvloop

        return uvloop.new_event_loop()
    return asyncio.new_event_loop()


context = None
if given.cert:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(given.cert, given.key)

app = imported(given.target)
web.run_app(
    app, host=given.host, port=given.port, ssl_context=context, access_log=None, print=None, loop=new_loop()
)
