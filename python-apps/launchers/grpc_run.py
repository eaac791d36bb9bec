"""gRPC's server with a pool of threads. MODULE:OBJECT is a function that adds its services to the server."""

from concurrent.futures import ThreadPoolExecutor

import grpc
from launch_arguments import arguments

host, port, register, threads = arguments("THREADS")
# Without SO_REUSEPORT a port that is taken is an error, not shared.
server = grpc.server(ThreadPoolExecutor(max_workers=int(threads)), options=[("grpc.so_reuseport", 0)])
register(server)
server.add_insecure_port(f"{host}:{port}")
server.start()
server.wait_for_termination()
