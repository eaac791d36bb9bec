"""The arguments of every launcher: HOST PORT MODULE:OBJECT; some take more."""

import importlib
import os
import sys


def arguments(*more):
    """Host, port, the app (imported from the working directory), and the other arguments."""
    if len(sys.argv) != 4 + len(more):
        sys.exit(f"usage: {sys.argv[0]} {' '.join(['HOST', 'PORT', 'MODULE:OBJECT', *more])}")
    _, host, port, target, *rest = sys.argv
    module, _, name = target.partition(":")
    sys.path.insert(0, os.getcwd())
    return host, int(port), getattr(importlib.import_module(module), name or "app"), *rest
