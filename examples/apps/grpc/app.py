import grpc

messages, services = grpc.protos_and_services("shop.proto")

PRICES = {f"Lamp {number}": 10 * number for number in range(1, 101)}


class Shop(services.ShopServicer):
    def Find(self, request, context):
        return messages.FindReply(name=request.name, price=PRICES[request.name])


def register(server):
    services.add_ShopServicer_to_server(Shop(), server)
