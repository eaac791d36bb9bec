"""The routes of the framework apps, in socketify's own API: a function that adds them to its app."""

import json

from jinja2 import DictLoader, Environment

PAGE = (
    "<!doctype html>\n<title>{{ title }}</title>\n<ul>\n"
    "{% for name, price in items %}<li>{{ name }}: {{ price }}</li>\n{% endfor %}</ul>"
)
ITEMS = [(f"Shoe <{number}>", number * 5) for number in range(1, 13)]
template = Environment(loader=DictLoader({"page": PAGE}), autoescape=True).get_template("page")


def send(response, content_type, body):
    response.write_header("Content-Type", content_type)
    response.end(body)


def send_json(response, value):
    send(response, "application/json", json.dumps(value, separators=(",", ":")))


def hello(response, request):
    send(response, "text/plain; charset=utf-8", "Hello, World!")


def json_message(response, request):
    send_json(response, {"message": "Hello, World!"})


def item(response, request):
    query = request.get_query("q")
    try:
        number = int(request.get_parameter(0))
    except ValueError:
        number = 0
    if number < 1 or query is None or len(query) > 50:
        response.write_status(422)
        return send(response, "text/plain; charset=utf-8", "Unprocessable Content")
    send_json(response, {"id": number, "q": query})


def page(response, request):
    send(response, "text/html; charset=utf-8", template.render(title="Shoes", items=ITEMS))


def not_found(response, request):
    response.write_status(404)
    send(response, "text/plain; charset=utf-8", "Not Found")


def app(router):
    router.get("/hello", hello)
    router.get("/plaintext", hello)
    router.get("/json", json_message)
    router.get("/items/:id", item)
    router.get("/page", page)
    router.any("/*", not_found)
