"""`flask ... run` without its access log, which no option turns off."""

import logging

from flask.cli import main

logging.getLogger("werkzeug").setLevel(logging.WARNING)
main()
