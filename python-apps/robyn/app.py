"""The routes of the framework apps, in Robyn's own API."""

import json

from jinja2 import DictLoader, Environment
from robyn import Headers, Response, Robyn

PAGE = (
    "<!doctype html>\n<title>{{ title }}</title>\n<ul>\n"
    "{% for name, price in items %}<li>{{ name }}: {{ price }}</li>\n{% endfor %}</ul>"
)
ITEMS = [(f"Shoe <{number}>", number * 5) for number in range(1, 13)]
template = Environment(loader=DictLoader({"page": PAGE}), autoescape=True).get_template("page")

TEXT = Headers({"content-type": "text/plain; charset=utf-8"})
JSON = Headers({"content-type": "application/json"})
HTML = Headers({"content-type": "text/html; charset=utf-8"})

app = Robyn(__file__)


def json_response(value):
    return Response(200, JSON, json.dumps(value, separators=(",", ":")))


@app.get("/hello")
@app.get("/plaintext")
async def hello():
    return Response(200, TEXT, "Hello, World!")


@app.get("/json")
async def json_message():
    return json_response({"message": "Hello, World!"})


@app.get("/items/:id")
async def item(request):
    query = request.query_params.get("q", None)
    try:
        number = int(request.path_params["id"])
    except ValueError:
        number = 0
    if number < 1 or query is None or len(query) > 50:
        return Response(422, TEXT, "Unprocessable Content")
    return json_response({"id": number, "q": query})


@app.get("/page")
async def page():
    return Response(200, HTML, template.render(title="Shoes", items=ITEMS))
