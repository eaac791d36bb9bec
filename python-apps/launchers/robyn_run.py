"""Robyn's server. Its options (--workers, --log-level) are read from the command line by Robyn itself."""

import os
import signal
import sys
from threading import Thread

from launch_arguments import arguments_before_options


def end_at_term():
    signal.sigwait({signal.SIGTERM})
    os._exit(0)


# Robyn ends its other processes at SIGTERM, but where it has one process it does not end. Threads that start from here on leave
# the signal to this one.
if "--processes 1 " in f"{' '.join(sys.argv)} ":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    Thread(target=end_at_term, daemon=True).start()

host, port, app = arguments_before_options()
app.start(host=host, port=port, _check_port=False)
