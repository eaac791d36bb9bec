"""`long_running` as a gRPC service, for the asyncio server: it runs in the event loop, as in the FastAPI app."""

import sys
from pathlib import Path

import grpc
import numpy as np

sys.path.append(str(Path(__file__).parent.parent / "grpc"))
messages, services = grpc.protos_and_services("cpu.proto")


def long_running(n):
    m = np.random.random((100, 100))
    for _ in range(n):
        m *= np.random.random((100, 100)) + np.random.random((100, 100))
    return m


class Cpu(services.CpuServicer):
    async def LongRunning(self, request, context):
        long_running(1000)
        return messages.LongRunningReply(message="Done")


def register(server):
    services.add_CpuServicer_to_server(Cpu(), server)
