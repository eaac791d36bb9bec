"""`flask ... run` without its access log, which it has no option for."""

import logging

from flask.cli import main

logging.getLogger("werkzeug").setLevel(logging.WARNING)
main()
