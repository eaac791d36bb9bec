"""gunicorn, also a release without some of the options: what an app pins is what it deploys."""

import sys

from gunicorn.app.wsgiapp import run
from gunicorn.config import KNOWN_SETTINGS

# A release without the option does what it asks for.
IMPLIED = ("--no-control-socket",), ("--http-parser", "python"), ("--asgi-loop", "asyncio"), ("--asgi-loop", "uvloop")


def without_implied(arguments):
    known = {option for setting in KNOWN_SETTINGS for option in setting.cli or ()}
    for words in IMPLIED:
        for start in range(len(arguments) - len(words), -1, -1):
            if words[0] not in known and tuple(arguments[start : start + len(words)]) == words:
                del arguments[start : start + len(words)]
    return arguments


sys.argv = ["gunicorn", *without_implied(sys.argv[1:])]
# The folder of this file: gunicorn puts the app's there instead.
del sys.path[0]
run()
