from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

ITEMS = [{"id": number, "name": f"Lamp {number}", "price": 10 * number} for number in range(1, 4)]


async def items(request):
    most = int(request.query_params.get("most", 100))
    return JSONResponse([item for item in ITEMS if item["price"] <= most])


app = Starlette(routes=[Route("/items", items)])
