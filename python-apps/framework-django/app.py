"""The app over ASGI. Its views are async, like those of the other ASGI frameworks: a sync view would run in a thread."""

from answers import PAGE, item_answer, json_answer, page_answer, set_up

set_up(__name__)

from django.core.asgi import get_asgi_application  # noqa: E402
from django.template import engines  # noqa: E402
from django.urls import path  # noqa: E402

template = engines["django"].from_string(PAGE)


async def json_message(request):
    return json_answer()


async def item(request, number):
    return item_answer(request, number)


async def page(request):
    return page_answer(request, template)


urlpatterns = [path("json", json_message), path("items/<int:number>", item), path("page", page)]
app = get_asgi_application()
