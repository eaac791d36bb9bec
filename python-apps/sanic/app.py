"""The routes of the framework apps, in Sanic's own API."""

import json
from functools import partial

from jinja2 import DictLoader, Environment
from sanic import Sanic, response
from sanic.exceptions import SanicException

PAGE = (
    "<!doctype html>\n<title>{{ title }}</title>\n<ul>\n"
    "{% for name, price in items %}<li>{{ name }}: {{ price }}</li>\n{% endfor %}</ul>"
)
ITEMS = [(f"Shoe <{number}>", number * 5) for number in range(1, 13)]
template = Environment(loader=DictLoader({"page": PAGE}), autoescape=True).get_template("page")

# Sanic would take the serialiser ujson, which escapes more characters.
app = Sanic("bench", dumps=partial(json.dumps, separators=(",", ":")))


@app.get("/hello", name="hello")
@app.get("/plaintext", name="plaintext")
async def hello(request):
    return response.text("Hello, World!")


@app.get("/json")
async def json_message(request):
    return response.json({"message": "Hello, World!"})


@app.get("/items/<number:int>")
async def item(request, number: int):
    query = request.args.get("q")
    if number < 1 or query is None or len(query) > 50:
        raise SanicException(status_code=422)
    return response.json({"id": number, "q": query})


@app.get("/page")
async def page(request):
    return response.html(template.render(title="Shoes", items=ITEMS))
