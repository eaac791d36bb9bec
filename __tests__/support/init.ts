/** `init` from source, on a project in a temporary folder. */
import { PassThrough } from "node:stream";
import { main } from "../../src/commands/main.js";
import { ROOT } from "./own-set.js";

interface Ended {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

interface InitContext {
  readonly cwd: string;
  /** Temporary folders are made there. */
  readonly temp: string;
  /** The answers, each with its line end; without them there is no terminal. */
  readonly typed?: string;
}

export async function runInit({ cwd, temp, typed }: InitContext, ...args: string[]): Promise<Ended> {
  let [output, errors] = ["", ""];
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.end(typed);
  const code = await main(["init", ...args], {
    root: ROOT,
    cwd,
    env: { ...process.env, CI: "1", RUNNER_TEMP: temp },
    stdout: { isTTY: typed !== undefined, write: (text) => (output += text) },
    stderr: { write: (text) => (errors += text) },
    ...(typed !== undefined && { stdin }),
  });
  return { code, output, errors };
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
