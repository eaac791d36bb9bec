"""The routes of the framework apps, in aiohttp's own API."""

import json

from aiohttp import web
from jinja2 import DictLoader, Environment

PAGE = (
    "<!doctype html>\n<title>{{ title }}</title>\n<ul>\n"
    "{% for name, price in items %}<li>{{ name }}: {{ price }}</li>\n{% endfor %}</ul>"
)
ITEMS = [(f"Shoe <{number}>", number * 5) for number in range(1, 13)]
template = Environment(loader=DictLoader({"page": PAGE}), autoescape=True).get_template("page")


def json_response(value):
    # aiohttp's own json_response adds a charset, which the other apps do not send.
    body = json.dumps(value, separators=(",", ":")).encode()
    return web.Response(body=body, content_type="application/json")


async def hello(request):
    return web.Response(text="Hello, World!")


async def json_message(request):
    return json_response({"message": "Hello, World!"})


async def item(request):
    try:
        number = int(request.match_info["id"])
    except ValueError:
        raise web.HTTPUnprocessableEntity from None
    query = request.query.get("q")
    if number < 1 or query is None or len(query) > 50:
        raise web.HTTPUnprocessableEntity
    return json_response({"id": number, "q": query})


async def page(request):
    return web.Response(text=template.render(title="Shoes", items=ITEMS), content_type="text/html")


app = web.Application()
app.add_routes(
    [
        web.get("/hello", hello),
        web.get("/plaintext", hello),
        web.get("/json", json_message),
        web.get("/items/{id}", item),
        web.get("/page", page),
    ]
)
