from django.http import JsonResponse
from django.urls import path

from shop.models import Item


def items(request):
    most = int(request.GET.get("most", 100))
    found = Item.objects.filter(price__lte=most).order_by("id").values("id", "name", "price")
    return JsonResponse({"items": list(found)})


urlpatterns = [path("items", items)]
