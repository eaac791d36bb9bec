"""Reads Python files, without running them, and writes what their top levels assign and define.

Usage: find_apps.py INPUT. INPUT is a JSON object, source by name of the file. Prints the same names with what was found, and
with null where Python cannot read the file.
"""

import ast
import json
import sys
import warnings


def main():
    warnings.simplefilter("ignore")
    with open(sys.argv[1], encoding="utf-8") as file:
        sources = json.load(file)
    json.dump({name: read(source) for name, source in sources.items()}, sys.stdout)


def read(source):
    try:
        body = ast.parse(source.removeprefix("\ufeff")).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return {
        "calls": [found for node in body for found in assigned(node)],
        "functions": [function(node) for node in body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))],
    }


def assigned(node):
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    called = first_call(node.value) if targets else None
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return [{"name": name, "called": called, "line": node.lineno} for name in names if called]


def first_call(node):
    """Of `Flask(__name__)`, `Flask(__name__).wsgi_app` and `Flask(__name__) if debug else None`: `Flask`."""
    while node is not None:
        if isinstance(node, ast.Call) and dotted(node.func):
            return dotted(node.func)
        node = getattr(node, "func", None) or getattr(node, "value", None) or getattr(node, "body", None)
    return None


def dotted(node):
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else None


def function(node):
    given = node.args
    positional = given.posonlyargs + given.args
    calls = [(call.lineno, call.col_offset, dotted(call.func)) for call in ast.walk(node) if isinstance(call, ast.Call)]
    return {
        "name": node.name,
        "async": isinstance(node, ast.AsyncFunctionDef),
        "parameters": [parameter.arg for parameter in positional],
        "required": len(positional) - len(given.defaults) + given.kw_defaults.count(None),
        "calls": [name for _, _, name in sorted(calls, key=lambda call: call[:2]) if name],
        "line": node.lineno,
    }


main()
