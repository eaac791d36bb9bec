from fastapi import FastAPI

app = FastAPI()

ITEMS = [{"id": number, "name": f"Lamp {number}", "price": 10 * number} for number in range(1, 4)]


@app.get("/items")
async def items(most: int = 100):
    return [item for item in ITEMS if item["price"] <= most]
