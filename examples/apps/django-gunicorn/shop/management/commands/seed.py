from django.core.management.base import BaseCommand

from shop.models import Item


class Command(BaseCommand):
    help = "Fills the shop with items."

    def handle(self, **options):
        Item.objects.bulk_create(Item(name=f"Lamp {number}", price=10 * number) for number in range(1, 101))
