/** `init` from source, on a project in a temporary folder. */
import { runMain } from "./own-set.js";

export async function runInit(place: Parameters<typeof runMain>[0], ...args: string[]) {
  return await runMain(place, "init", ...args);
}

/** A module with an app of FastAPI. @param turns of work for each request of `/` */
export const fastapi = (turns: number) => `from fastapi import APIRouter, FastAPI

app = FastAPI()
orders = APIRouter(prefix="/orders")


@app.get("/")
def home():
    return {"turns": ${turns}, "last": max(range(${turns}))}


@app.get("/items/{item}")
def item(item: int):
    return item


@app.post("/items")
def add(name: str):
    return name


@orders.get("/")
def all_orders():
    return []


app.include_router(orders, prefix="/v1")
`;
