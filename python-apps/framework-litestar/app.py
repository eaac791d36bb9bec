"""A JSON route, a route with a validated parameter, and a template, in Litestar."""

from dataclasses import dataclass
from typing import Annotated

from jinja2 import DictLoader, Environment
from litestar import Litestar, MediaType, get
from litestar.params import Parameter

PAGE = (
    "<!doctype html>\n<title>{{ title }}</title>\n<ul>\n"
    "{% for name, price in items %}<li>{{ name }}: {{ price }}</li>\n{% endfor %}</ul>"
)
ITEMS = [(f"Shoe <{number}>", number * 5) for number in range(1, 13)]
template = Environment(loader=DictLoader({"page": PAGE}), autoescape=True).get_template("page")


@dataclass
class Item:
    id: int
    q: str


@get("/json")
async def json_message() -> dict[str, str]:
    return {"message": "Hello, World!"}


@get("/items/{number:int}")
async def item(number: Annotated[int, Parameter(ge=1)], q: Annotated[str, Parameter(max_length=50)]) -> Item:
    return Item(id=number, q=q)


@get("/page", media_type=MediaType.HTML)
async def page() -> str:
    return template.render(title="Shoes", items=ITEMS)


app = Litestar([json_message, item, page], openapi_config=None)
