/**
 * The parent of a server: a Python program that adopts every orphan of the server (PR_SET_CHILD_SUBREAPER, which Node cannot ask
 * for). So a process that leaves its session, its parent and its environment is still a descendant.
 */

/** What it shares with other parents. */
export const SUBREAPER = `
import os, signal, sys, time

PR_SET_CHILD_SUBREAPER = 36


def become_subreaper():
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def stat_of(pid):
    with open(f"/proc/{pid}/stat", "rb") as file:
        text = file.read()
    return text[text.rindex(b")") + 2 :].split()


def descendants():
    children = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            fields = stat_of(name)
        except (OSError, ValueError):
            continue
        if fields[0] not in (b"Z", b"X"):
            children.setdefault(int(fields[1]), []).append(int(name))
    found = list(children.get(os.getpid(), []))
    for pid in found:
        found.extend(children.get(pid, []))
    return found
`;

/** What gives a server the same addresses in memory in every start. */
export const FIX_ADDRESSES = `
# From linux/personality.h.
ADDR_NO_RANDOMIZE = 0x0040000
PERSONALITY_QUERY = 0xFFFFFFFF


def limits_reserved_memory():
    """A thread reserves as much as the limit of the stack. Where that is limited, threads could not be started."""
    import resource

    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        return True
    try:
        with open("/proc/sys/vm/overcommit_memory") as file:
            return file.read().strip() == "2"
    except OSError:
        return False


def fix_addresses(stack_bytes):
    """
    Whether what this process executes from now on has the same addresses each time. Without randomisation the limit of the stack
    decides where libraries are (mmap_base in arch/x86/mm/mmap.c and mm/util.c of Linux).
    """
    import ctypes, resource

    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    personality = ctypes.CDLL(None, use_errno=True).personality
    given = personality(ctypes.c_ulong(PERSONALITY_QUERY))
    # Container runtimes refuse it, and a service may have a lower hard limit.
    if given == -1 or (hard != resource.RLIM_INFINITY and hard < stack_bytes) or limits_reserved_memory():
        return False
    if personality(ctypes.c_ulong(given | ADDR_NO_RANDOMIZE)) == -1:
        return False
    resource.setrlimit(resource.RLIMIT_STACK, (stack_bytes, hard))
    return True
`;

/**
 * Reads and writes on file descriptor 3. It gets one line, JSON of `{ command, cwd, env, stackBytes? }`, and answers
 * `started PID STARTTIME fixed|drawn` or `failed REASON`. With `stackBytes` the server's addresses in memory are fixed, where Linux
 * allows it. When the server ends, it writes `exit CODE` or `signal NUMBER`. A line `move CPU,CPU` moves it and all descendants
 * to these CPUs; the answer is `moved` or `unmoved REASON`. It ends after its last descendant, and ends all of them when the other
 * side of the descriptor is gone. It sleeps in poll() all the time.
 */
export const SUPERVISOR = `
${SUBREAPER}
${FIX_ADDRESSES}
import json, select

CONTROL = 3
TERM_SECONDS = 0.5
KILL_SECONDS = 5
MOVE_PASSES = 10
IGNORED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
PYTHONS_OWN = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD)


def say(*words):
    try:
        os.write(CONTROL, (" ".join(map(str, words)) + "\\n").encode())
    except OSError:
        pass


def read_order():
    order = b""
    while not order.endswith(b"\\n"):
        piece = os.read(CONTROL, 65536)
        if not piece:
            sys.exit(0)
        order += piece
    return json.loads(order)


def close_files():
    for name in os.listdir("/proc/self/fd"):
        try:
            if int(name) > 2:
                os.close(int(name))
        except OSError:
            pass


def start(order):
    pid = os.fork()
    if pid != 0:
        return pid
    try:
        for number in IGNORED + PYTHONS_OWN:
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        close_files()
        os.setsid()
        os.chdir(order["cwd"])
        os.execvpe(order["command"][0], order["command"], order["env"])
    except OSError as error:
        os.write(2, f"cannot start {order['command'][0]}: {error.strerror}\\n".encode())
    finally:
        os._exit(127)


def reap(server):
    """Whether processes are left."""
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True
        if pid != server:
            continue
        if os.WIFSIGNALED(status):
            say("signal", os.WTERMSIG(status))
        else:
            say("exit", os.WEXITSTATUS(status))


def end_all(server):
    begun = time.monotonic()
    number = signal.SIGTERM
    while reap(server) and time.monotonic() < begun + KILL_SECONDS:
        for pid in descendants() if number else []:
            try:
                os.kill(pid, number)
            except OSError:
                pass
        number = signal.SIGKILL if time.monotonic() > begun + TERM_SECONDS else None
        time.sleep(0.02)


def cpus_of_threads():
    """Parents come before their children: what they start from then on inherits their CPUs."""
    for pid in [os.getpid(), *descendants()]:
        try:
            threads = list(map(int, os.listdir(f"/proc/{pid}/task")))
        except OSError:
            continue
        for thread in threads:
            try:
                yield thread, os.sched_getaffinity(thread)
            except ProcessLookupError:
                pass


def move(cpus):
    given = os.sched_getaffinity(0)
    # The other side's server keeps the CPUs that it has chosen itself, so this one must keep them too.
    if any(own not in (given, cpus) for _, own in cpus_of_threads()):
        return say("unmoved", "it has chosen its CPUs itself")
    # A thread may start another one between two looks at it.
    for _ in range(MOVE_PASSES):
        moved = True
        for thread, own in cpus_of_threads():
            if own == cpus:
                continue
            moved = False
            try:
                os.sched_setaffinity(thread, cpus)
            except ProcessLookupError:
                pass
        if moved:
            return say("moved")
    say("unmoved", "its threads do not stay where they are moved to")


def obey(words):
    for line in words.decode().splitlines():
        order, _, cpus = line.partition(" ")
        if order == "move":
            try:
                move(set(map(int, cpus.split(","))))
            # Some Pythons do not know CPUs: the server must live on.
            except Exception as error:
                say("unmoved", error)


def supervise(server, wakeup):
    poll = select.poll()
    poll.register(CONTROL, select.POLLIN)
    poll.register(wakeup, select.POLLIN)
    while reap(server):
        for file, _ in poll.poll():
            if file == wakeup:
                os.read(wakeup, 4096)
            else:
                try:
                    words = os.read(CONTROL, 4096)
                except OSError:
                    words = b""
                if not words:
                    return end_all(server)
                obey(words)


def main():
    os.set_inheritable(CONTROL, False)
    order = read_order()
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    wakeup, notify = os.pipe()
    os.set_blocking(notify, False)
    signal.set_wakeup_fd(notify, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    try:
        become_subreaper()
        stack_bytes = order.get("stackBytes")
        fixed = stack_bytes is not None and fix_addresses(stack_bytes)
        server = start(order)
        say("started", server, stat_of(server)[19].decode(), "fixed" if fixed else "drawn")
    except (ImportError, OSError) as error:
        return say("failed", error)
    supervise(server, wakeup)


main()
`;
