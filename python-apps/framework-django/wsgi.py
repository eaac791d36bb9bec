"""The app over WSGI."""

from answers import PAGE, item_answer, json_answer, page_answer, set_up

set_up(__name__)

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.template import engines  # noqa: E402
from django.urls import path  # noqa: E402

template = engines["django"].from_string(PAGE)


def json_message(request):
    return json_answer()


def item(request, number):
    return item_answer(request, number)


def page(request):
    return page_answer(request, template)


urlpatterns = [path("json", json_message), path("items/<int:number>", item), path("page", page)]
app = get_wsgi_application()
