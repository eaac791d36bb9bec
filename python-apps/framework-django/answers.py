"""What both apps answer: a JSON route, a route with a validated parameter, and a template, in Django."""

import django
from django.conf import settings
from django.http import HttpResponse, JsonResponse


def set_up(urls):
    """Django's settings; `urls` is the module of the views."""
    settings.configure(
        ALLOWED_HOSTS=["127.0.0.1", "localhost"],
        MIDDLEWARE=[],
        ROOT_URLCONF=urls,
        SECRET_KEY="of a benchmark",
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}],
    )
    django.setup()


PAGE = (
    "<!doctype html>\n<title>{{ title }}</title>\n<ul>\n"
    "{% for name, price in items %}<li>{{ name }}: {{ price }}</li>\n{% endfor %}</ul>"
)
ITEMS = [(f"Shoe <{number}>", number * 5) for number in range(1, 13)]
COMPACT = {"separators": (",", ":")}


def whole(response):
    # Django's CommonMiddleware adds the length too, but over ASGI it runs in a thread, twice for each request.
    response["Content-Length"] = str(len(response.content))
    return response


def json_answer():
    return whole(JsonResponse({"message": "Hello, World!"}, json_dumps_params=COMPACT))


def item_answer(request, number):
    query = request.GET.get("q")
    if number < 1 or query is None or len(query) > 50:
        return whole(HttpResponse(status=422))
    return whole(JsonResponse({"id": number, "q": query}, json_dumps_params=COMPACT))


def page_answer(request, template):
    return whole(HttpResponse(template.render({"title": "Shoes", "items": ITEMS}, request)))
