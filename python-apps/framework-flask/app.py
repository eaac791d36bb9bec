"""A JSON route, a route with a validated parameter, and a template, in Flask."""

from flask import Flask, abort, jsonify, render_template, request
from jinja2 import DictLoader

PAGE = (
    "<!doctype html>\n<title>{{ title }}</title>\n<ul>\n"
    "{% for name, price in items %}<li>{{ name }}: {{ price }}</li>\n{% endfor %}</ul>"
)
ITEMS = [(f"Shoe <{number}>", number * 5) for number in range(1, 13)]

app = Flask(__name__)
app.jinja_loader = DictLoader({"page.html": PAGE})
app.json.compact = True
app.json.sort_keys = False


def json_response(value):
    # jsonify ends the document with a newline, which the other apps do not send.
    response = jsonify(value)
    response.set_data(response.get_data()[:-1])
    return response


@app.get("/json")
def json_message():
    return json_response({"message": "Hello, World!"})


@app.get("/items/<int:number>")
def item(number):
    query = request.args.get("q")
    if number < 1 or query is None or len(query) > 50:
        abort(422)
    return json_response({"id": number, "q": query})


@app.get("/page")
def page():
    return render_template("page.html", title="Shoes", items=ITEMS)
