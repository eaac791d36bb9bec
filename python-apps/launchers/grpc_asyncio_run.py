"""gRPC's asyncio server. MODULE:OBJECT is a function that adds its services to the server."""

import asyncio

import grpc
from launch_arguments import arguments


async def serve():
    host, port, register = arguments()
    # Without SO_REUSEPORT a port that is taken is an error, not shared.
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    register(server)
    server.add_insecure_port(f"{host}:{port}")
    await server.start()
    await server.wait_for_termination()


asyncio.run(serve())
