from flask import Flask, request

app = Flask(__name__)

ITEMS = [{"id": number, "name": f"Lamp {number}", "price": 10 * number} for number in range(1, 4)]


@app.get("/items")
def items():
    most = request.args.get("most", 100, type=int)
    return [item for item in ITEMS if item["price"] <= most]
