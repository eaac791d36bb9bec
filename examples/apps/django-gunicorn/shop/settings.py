import os
from pathlib import Path

# A deployed project has its key outside of the repository.
SECRET_KEY = "for the benchmark only"
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "shop.urls"
INSTALLED_APPS = ["shop"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# Each side of a comparison has a folder for data. It is removed after the row.
DATA = Path(os.environ.get("SERVER_BENCH_DATA", "."))
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": DATA / "db.sqlite3"}}
