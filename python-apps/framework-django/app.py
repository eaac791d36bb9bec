"""A JSON route, a route with a validated parameter, and a template, in Django, over ASGI (`app`) and WSGI (`wsgi`)."""

import django
from django.conf import settings
from django.http import HttpResponse, JsonResponse
from django.urls import path

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1", "localhost"],
    # It gives answers their Content-Length.
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="of a benchmark",
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}],
)
django.setup()

from django.core.asgi import get_asgi_application  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.template import engines  # noqa: E402

PAGE = (
    "<!doctype html>\n<title>{{ title }}</title>\n<ul>\n"
    "{% for name, price in items %}<li>{{ name }}: {{ price }}</li>\n{% endfor %}</ul>"
)
ITEMS = [(f"Shoe <{number}>", number * 5) for number in range(1, 13)]
template = engines["django"].from_string(PAGE)
COMPACT = {"separators": (",", ":")}


def json_message(request):
    return JsonResponse({"message": "Hello, World!"}, json_dumps_params=COMPACT)


def item(request, number):
    query = request.GET.get("q")
    if number < 1 or query is None or len(query) > 50:
        return HttpResponse(status=422)
    return JsonResponse({"id": number, "q": query}, json_dumps_params=COMPACT)


def page(request):
    return HttpResponse(template.render({"title": "Shoes", "items": ITEMS}, request))


urlpatterns = [path("json", json_message), path("items/<int:number>", item), path("page", page)]
app = get_asgi_application()
wsgi = get_wsgi_application()
