import { describe, expect, it } from "vitest";
import { ownerOf } from "../../src/compare/profile-functions.js";
import { formatStacks, parseStacks, relativeStacks, workingStacks } from "../../src/compare/profile-stacks.js";

const ROOTS = { environment: "/cache/uvicorn/venv-1", checkout: "/home/me/app" };
const SITE = "/cache/uvicorn/venv-1/lib/python3.11/site-packages";

/** As py-spy 0.4.3 wrote them for uvicorn. */
const SEND = `send (${SITE}/uvicorn/protocols/http/httptools_impl.py:463)`;
const PROCESS = 'process 29346:"/cache/uvicorn/venv-1/bin/python bin/uvicorn app:app"';

const one = (...frames: string[]) => parseStacks(`${frames.join(";")} 3\n`);

describe("collapsed stacks", () => {
  it("are frames from the outermost to the innermost, without the processes above them", () => {
    expect(one(PROCESS, "run (/usr/lib/python3.11/asyncio/runners.py:190)", "<lambda> (app.py:3)")).toEqual([
      {
        samples: 3,
        frames: [
          { name: "run", file: "/usr/lib/python3.11/asyncio/runners.py", line: 190 },
          { name: "<lambda>", file: "app.py", line: 3 },
        ],
      },
    ]);
  });

  it("may have a process whose command line holds a semicolon", () => {
    const [stack] = one('process 7:"python -c import a; a.run()"', 'process 8:"worker"', "main (a.py:1)");
    expect(stack?.frames).toEqual([{ name: "main", file: "a.py", line: 1 }]);
  });

  it.each(["main (a.py:1)", "main (a.py:1) 0", "main (a.py:1) many"])("%s is none", (line) => {
    expect(() => parseStacks(line)).toThrow(/not a line of collapsed stacks: /);
  });

  it("are written as they were read, equal ones added up", () => {
    const text = "main (a.py:1);write (libc.so.6) 3\nmain (a.py:1) 1\n";
    expect(formatStacks(parseStacks(text + text))).toBe("main (a.py:1);write (libc.so.6) 6\nmain (a.py:1) 2\n");
  });
});

describe("paths", () => {
  it.each([
    [`${SITE}/uvicorn/main.py`, "uvicorn/main.py"],
    ["/cache/uvicorn/venv-1/bin/uvicorn", "bin/uvicorn"],
    ["/home/me/app/src/app.py", "src/app.py"],
    ["/usr/lib/python3.11/asyncio/events.py", "asyncio/events.py"],
    ["/opt/hostedtoolcache/Python/3.14.0/x64/lib/python3.14t/json/encoder.py", "json/encoder.py"],
    ["/home/me/application/app.py", "/home/me/application/app.py"],
    ["<frozen importlib._bootstrap>", "<frozen importlib._bootstrap>"],
  ])("%s is %s", (path, relative) => {
    const [stack] = relativeStacks(one(`f (${path}:1)`), ROOTS);
    expect(stack?.frames[0]?.file).toBe(relative);
  });
});

const LIBC = "/usr/lib/x86_64-linux-gnu/libc.so.6";
const GRANIAN = `${SITE}/granian/_granian.cpython-311-x86_64-linux-gnu.so`;

describe("threads that wait", () => {
  it.each([
    [["uv__io_poll (/project/src/unix/linux.c:1452)", `epoll_pwait (${LIBC})`], 0],
    [[`0x7f0f96826141 (${GRANIAN})`, `pthread_cond_timedwait (${LIBC})`, `0x7f0f97aa3f16 (${LIBC})`], 0],
    [[`0x7f0f9729a7f7 (${GRANIAN})`, `syscall (${LIBC})`], 0],
    [["take_gil (/build/Python-3.11.7/Python/ceval_gil.h:240)", `pthread_cond_timedwait (${LIBC})`], 0],
    [["PyThread_acquire_lock_timed (/opt/libpython3.11.so.1.0)", `0x7f0f97aa (${LIBC})`, `0x7f0f97ab (${LIBC})`], 0],
    [["sock_send_impl (/opt/libpython3.11.so.1.0)", `0x7f0f97aa (${LIBC})`], 1],
    [[SEND, `write (${LIBC})`], 1],
    [[`poll (${SITE}/own/poll.py:3)`], 1],
  ])("%j: %d", (frames, count) => {
    expect(workingStacks(one(...frames))).toHaveLength(count);
  });
});

describe("a sample's time belongs to", () => {
  const owner = (...frames: string[]) => {
    const [stack] = relativeStacks(one(...frames), ROOTS);
    return stack && ownerOf(stack);
  };

  it("the function that called the interpreter's own code", () => {
    const dumps = "dumps (/usr/lib/python3.11/json/__init__.py:183)";
    const native = "sorted (/tmp/python-build.1/Python-3.11.7/Objects/listobject.c:20)";
    expect(owner(dumps, native, `memcpy (${LIBC})`)).toEqual({ name: "dumps", file: "json/__init__.py", line: 183 });
    const hash = "EVP_hash (/usr/lib/python3.11/lib-dynload/_hashlib.cpython-311-x86_64-linux-gnu.so)";
    expect(owner(SEND, hash)).toMatchObject({ name: "send" });
  });

  it("a function of an extension with symbols", () => {
    const write = "UVStream__try_write (/project/uvloop/loop.c:106818)";
    expect(owner(SEND, write, `write (${LIBC})`)).toMatchObject({ name: "UVStream__try_write", file: "uvloop/loop.c" });
  });

  it("the library, where it has no symbols", () => {
    expect(owner(SEND, `0x7f0f9729a7f7 (${GRANIAN})`)).toEqual({ name: "", file: "granian/_granian.so" });
  });

  it("the interpreter, where nothing else is there", () => {
    expect(owner(`clone (${LIBC})`, "main (/usr/bin/python3.11)")).toEqual({ name: "", file: "Python's interpreter" });
  });
});
