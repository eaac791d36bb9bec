"""Imports an app and writes what a server would find: whether it can be served, and its routes.

Usage: inspect_app.py FOLDER TARGET INTERFACE WHAT OUTPUT. FOLDER is the app's, TARGET is module:object, INTERFACE is the
one that it should have, WHAT is `app` or `routes`, OUTPUT becomes a JSON file. What the app prints goes to its usual
streams and is not read.
"""

import importlib
import inspect
import json
import os
import sys
import traceback

NESTED = 6
NAMED = 20
ARGUMENTS = {"asgi": 3, "wsgi": 2, "rsgi": 2, "grpc": 1}


def main():
    folder, target, interface, what, output = sys.argv[1:]
    os.chdir(folder)
    sys.path[0] = folder
    result = look(target, interface, what)
    with open(output + ".part", "w") as file:
        json.dump(result, file)
    # OUTPUT is whole, or it is not there.
    os.replace(output + ".part", output)
    sys.stdout.flush()
    # Threads that the app started would keep this process.
    os._exit(0)


def look(target, interface, what):
    module_name, _, path = target.partition(":")
    path = path or "application"
    try:
        module = importlib.import_module(module_name)
    except BaseException as error:
        return failed_import(error)
    made = path.endswith("()")
    found = module
    for name in path.removesuffix("()").split("."):
        if not hasattr(found, name):
            return {"state": "no-object", "module": module_name, "name": name, "callables": callables_of(module)}
        found = getattr(found, name)
    if made:
        try:
            found = found()
        except BaseException as error:
            return failed_import(error)
    # Of a framework with an interface of its own, the framework decides what an app is.
    served = interface not in ARGUMENTS or (interface == "rsgi" and hasattr(found, "__rsgi__"))
    if not served and not callable(found):
        return {"state": "no-callable", "type": type(found).__name__, "callables": callables_of(module)}
    routes, framework, host = [], "", None
    if what == "routes":
        try:
            routes, framework, host = routes_of(found)
        except Exception as error:
            return failed_import(error)
    takes = None if served else other_interface(found, interface)
    return {"state": "found", "takes": takes, "framework": framework, "routes": routes, "host": host}


def failed_import(error):
    if isinstance(error, SystemExit):
        text = said = f"it called sys.exit({error.code!r}) while it was imported"
    else:
        text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        said = said_of(error)
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    first = first_cause(error)
    cause = None if first is error else {"error": said_of(first), "place": place_of(first)}
    result = {"state": "failed", "error": said, "traceback": text, "missing": missing, "place": place_of(error)}
    return {**result, "cause": cause}


def said_of(error):
    return f"{type(error).__name__}: {error}"


def first_cause(error):
    """The error at the beginning of a chain, as a traceback shows it."""
    seen = []
    while error not in seen:
        seen.append(error)
        inner = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        error = inner or error
    return error


def place_of(error):
    """The innermost line in the project, else the innermost that is neither this file's nor the import system's."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "importlib" not in frame.filename and frame.filename != __file__
    ]
    shown = [frame for frame in frames if is_of_project(frame.filename)] or frames
    return f"{os.path.relpath(shown[-1].filename)}:{shown[-1].lineno}" if shown else None


def is_of_project(path):
    """In the app's folder, and not in an environment there."""
    inside = os.path.relpath(os.path.realpath(path))
    return not inside.startswith(os.pardir) and "site-packages" not in inside.split(os.sep)


def callables_of(module):
    """Names of the module that a server could take: apps, else all that can be called."""
    named = [(name, value) for name, value in vars(module).items() if not name.startswith("_")]
    apps = [name for name, value in named if is_app(value)]
    return sorted(apps) or [name for name, value in named if callable(value) and not inspect.isclass(value)][:NAMED]


def is_app(value):
    if inspect.isclass(value) or inspect.isfunction(value) or inspect.isbuiltin(value) or not callable(value):
        return False
    return any(hasattr(value, name) for name in ("routes", "url_map", "wsgi_app", "asgi_app", "resolve_request"))


def other_interface(app, wanted):
    """The interface that the arguments show; None where they fit the wanted one, or show none."""

    def takes(count):
        try:
            inspect.signature(app).bind(*[None] * count)
            return True
        except (TypeError, ValueError):
            return False

    is_async = inspect.iscoroutinefunction(app) or inspect.iscoroutinefunction(getattr(app, "__call__", None))
    if not takes(ARGUMENTS[wanted]):
        if takes(3):
            return "asgi"
        return ("rsgi" if is_async else "wsgi") if takes(2) else None
    if wanted == "wsgi" and is_async:
        return "asgi" if takes(3) else "rsgi"
    return None


def routes_of(app):
    """The routes, the framework's name, and the host that a request has to name (None: any)."""
    for inner in unwrapped(app):
        module = type(inner).__module__
        if module.startswith("django."):
            return django_routes(), "Django", django_host()
        if hasattr(inner, "url_map"):
            return werkzeug_routes(inner), type(inner).__name__, None
        if module.startswith("litestar"):
            return litestar_routes(inner), "Litestar", None
        if hasattr(inner, "routes") and not callable(inner.routes):
            return starlette_routes(inner.routes, ""), type(inner).__name__, None
    return [], type(app).__name__, None


def unwrapped(app):
    """The app, and what its middleware wraps."""
    for _ in range(NESTED):
        yield app
        names = ("app", "application", "wsgi_app", "asgi_app", "wrapped", "__wrapped__", "__self__")
        values = [getattr(app, name, None) for name in names]
        inner = [value for value in values if value is not None and value is not app]
        if not inner:
            return
        app = inner[0]


def route(path, methods, parameters):
    return {"path": path, "methods": sorted(methods or ["GET"]), "parameters": bool(parameters)}


def starlette_routes(routes, prefix):
    found = []
    for each in routes:
        path = prefix + getattr(each, "path", "")
        if hasattr(each, "methods"):
            documented = getattr(each, "include_in_schema", True)
            endpoint = getattr(each, "endpoint", None)
            own = getattr(endpoint, "__module__", "") in ("fastapi.applications",)
            if documented or not own:
                found.append(route(path, each.methods, "{" in path))
        elif isinstance(getattr(each, "routes", None), list):
            found.extend(starlette_routes(each.routes, path))
        elif hasattr(each, "original_router"):
            # FastAPI keeps an included router as it is, with the prefix that it was included under.
            included = getattr(each, "include_context", None)
            found.extend(starlette_routes(each.original_router.routes, prefix + getattr(included, "prefix", "")))
    return found


def litestar_routes(app):
    found = []
    for each in app.routes:
        if not each.path.startswith("/schema"):
            found.append(route(each.path, getattr(each, "methods", None), "{" in each.path))
    return found


def werkzeug_routes(app):
    rules = [rule for rule in app.url_map.iter_rules() if rule.endpoint != "static" and not rule.endpoint.endswith(".static")]
    return [route(rule.rule, (rule.methods or set()) - {"OPTIONS", "HEAD"}, rule.arguments) for rule in rules]


def django_routes():
    from django.urls import Resolver404, get_resolver

    resolver = get_resolver()
    found = django_patterns(resolver.url_patterns, "/")
    try:
        resolver.resolve("/")
    except Resolver404:
        return found
    # A pattern with parameters can take the first page too, as Wagtail's does.
    return found if any(each["path"] == "/" for each in found) else [route("/", ["GET"], False), *found]


def django_patterns(patterns, prefix):
    found = []
    for each in patterns:
        path = prefix + django_path(each.pattern)
        if hasattr(each, "url_patterns"):
            found.extend(django_patterns(each.url_patterns, path))
        else:
            found.append(route(path, django_methods(each.callback), "<" in path or "(" in path or "\\" in path))
    return found


def django_path(pattern):
    text = str(pattern)
    if type(pattern).__name__ != "RegexPattern":
        return text
    return text.removeprefix("^").removesuffix("$").removesuffix(r"\Z").replace(r"\.", ".").replace(r"\-", "-")


def django_methods(view):
    """Class-based views name their methods; a function may refuse any."""
    view_class = getattr(view, "view_class", None) or getattr(view, "cls", None)
    if view_class is None:
        return ["GET"]
    return [name.upper() for name in ("get", "post", "put", "patch", "delete") if hasattr(view_class, name)]


def django_host():
    """None where a request to 127.0.0.1 is let through."""
    from django.conf import settings

    hosts = list(settings.ALLOWED_HOSTS)
    if "*" in hosts or "127.0.0.1" in hosts or (settings.DEBUG and not hosts):
        return None
    named = [host.removeprefix(".") for host in hosts]
    return named[0] if named else None


main()
