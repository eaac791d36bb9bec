"""The routes that need no more than a framework, in FastAPI."""

import numpy as np
from fastapi import FastAPI
from fastapi.responses import JSONResponse, PlainTextResponse

app = FastAPI()


def long_running(n):
    m = np.random.random((100, 100))
    for _ in range(n):
        m *= np.random.random((100, 100)) + np.random.random((100, 100))
    return m


@app.get("/")
@app.get("/hello")
@app.get("/plaintext")
async def hello():
    return PlainTextResponse("Hello, World!")


@app.get("/json")
async def json_message():
    return JSONResponse({"message": "Hello, World!"})


@app.get("/cpu")
async def cpu():
    # In the event loop, one request after the other, as in the published benchmark.
    long_running(1000)
    return PlainTextResponse("Done")
