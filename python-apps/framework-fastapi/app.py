"""A JSON route, a route with a validated parameter, and a template, in FastAPI."""

from typing import Annotated

from fastapi import FastAPI, Path, Query
from fastapi.responses import HTMLResponse
from jinja2 import DictLoader, Environment
from pydantic import BaseModel

PAGE = (
    "<!doctype html>\n<title>{{ title }}</title>\n<ul>\n"
    "{% for name, price in items %}<li>{{ name }}: {{ price }}</li>\n{% endfor %}</ul>"
)
ITEMS = [(f"Shoe <{number}>", number * 5) for number in range(1, 13)]
template = Environment(loader=DictLoader({"page": PAGE}), autoescape=True).get_template("page")

app = FastAPI()


class Item(BaseModel):
    id: int
    q: str


@app.get("/json")
async def json_message():
    return {"message": "Hello, World!"}


@app.get("/items/{number}")
async def item(number: Annotated[int, Path(ge=1)], q: Annotated[str, Query(max_length=50)]) -> Item:
    return Item(id=number, q=q)


@app.get("/page", response_class=HTMLResponse)
async def page():
    return template.render(title="Shoes", items=ITEMS)
