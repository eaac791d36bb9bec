from litestar import Litestar, get

ITEMS = [{"id": number, "name": f"Lamp {number}", "price": 10 * number} for number in range(1, 4)]


@get("/items")
async def items(most: int = 100) -> list[dict]:
    return [item for item in ITEMS if item["price"] <= most]


app = Litestar([items])
