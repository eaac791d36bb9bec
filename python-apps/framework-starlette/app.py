"""A JSON route, a route with a validated parameter, and a template, in Starlette."""

from jinja2 import DictLoader, Environment
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route

PAGE = (
    "<!doctype html>\n<title>{{ title }}</title>\n<ul>\n"
    "{% for name, price in items %}<li>{{ name }}: {{ price }}</li>\n{% endfor %}</ul>"
)
ITEMS = [(f"Shoe <{number}>", number * 5) for number in range(1, 13)]
template = Environment(loader=DictLoader({"page": PAGE}), autoescape=True).get_template("page")


async def json_message(request):
    return JSONResponse({"message": "Hello, World!"})


async def item(request):
    number = request.path_params["number"]
    query = request.query_params.get("q")
    if number < 1 or query is None or len(query) > 50:
        raise HTTPException(422)
    return JSONResponse({"id": number, "q": query})


async def page(request):
    return HTMLResponse(template.render(title="Shoes", items=ITEMS))


app = Starlette(routes=[Route("/json", json_message), Route("/items/{number:int}", item), Route("/page", page)])
