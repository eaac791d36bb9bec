"""The arguments of every launcher: HOST PORT MODULE:OBJECT; some take more."""

import importlib
import os
import sys


def arguments(*more):
    """Host, port, the app (imported from the working directory), and the other arguments."""
    if len(sys.argv) != 4 + len(more):
        sys.exit(f"usage: {sys.argv[0]} {' '.join(['HOST', 'PORT', 'MODULE:OBJECT', *more])}")
    return *arguments_before_options(), *sys.argv[4:]


def arguments_before_options():
    """Host, port and the app; the framework reads the options after them from sys.argv."""
    _, host, port, target = sys.argv[:4]
    return host, int(port), imported(target)


def imported(target):
    """The object, its module imported from the working directory; `module:function()` is what the function returns."""
    module, _, name = target.partition(":")
    sys.path.insert(0, os.getcwd())
    found = getattr(importlib.import_module(module), name.removesuffix("()") or "app")
    return found() if name.endswith("()") else found
