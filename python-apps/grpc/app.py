"""`long_running` as a gRPC service, for the server with a pool of threads."""

import grpc
import numpy as np

messages, services = grpc.protos_and_services("cpu.proto")


def long_running(n):
    m = np.random.random((100, 100))
    for _ in range(n):
        m *= np.random.random((100, 100)) + np.random.random((100, 100))
    return m


class Cpu(services.CpuServicer):
    def LongRunning(self, request, context):
        long_running(1000)
        return messages.LongRunningReply(message="Done")


def register(server):
    services.add_CpuServicer_to_server(Cpu(), server)
