"""What every launcher takes: HOST PORT MODULE:OBJECT."""

import importlib
import os
import sys


def arguments():
    """Host, port and the app, which is imported from the working directory."""
    if len(sys.argv) != 4:
        sys.exit(f"usage: {sys.argv[0]} HOST PORT MODULE:OBJECT")
    _, host, port, target = sys.argv
    module, _, name = target.partition(":")
    sys.path.insert(0, os.getcwd())
    return host, int(port), getattr(importlib.import_module(module), name or "app")
