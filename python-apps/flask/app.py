"""The routes that need no more than a framework, in Flask."""

import json

import numpy as np
from flask import Flask, Response


class Text(Response):
    """Flask's own default is HTML; the other apps answer plain text."""

    default_mimetype = "text/plain"


app = Flask(__name__)
app.response_class = Text


def long_running(n):
    m = np.random.random((100, 100))
    for _ in range(n):
        m *= np.random.random((100, 100)) + np.random.random((100, 100))
    return m


@app.get("/")
@app.get("/hello")
@app.get("/plaintext")
def hello():
    return "Hello, World!", 200


@app.get("/json")
def json_message():
    # Flask's own jsonify ends the document with a newline, which the other apps do not send.
    body = json.dumps({"message": "Hello, World!"}, separators=(",", ":"))
    return Response(body, mimetype="application/json")


@app.get("/cpu")
def cpu():
    long_running(1000)
    return "Done"
