/**
 * The parent of a tool that runs foreign code: an installer runs the build of a pull request. It adopts every orphan of the tool, as a
 * server's supervisor does, and ends them all when the tool has ended.
 */
import { SUBREAPER } from "./supervisor.js";

/**
 * Its arguments are the tool's argv. It ends as the tool did, once no process of the tool is left. TERM ends all of them, also those that
 * left their session and their environment. Where it cannot adopt orphans, it becomes the tool.
 */
const KEEPER = `${SUBREAPER}
TERM_SECONDS = 0.5
KILL_SECONDS = 5
PYTHONS_OWN = (signal.SIGPIPE, signal.SIGXFSZ)


def end_all():
    begun = time.monotonic()
    while time.monotonic() < begun + KILL_SECONDS:
        number = signal.SIGKILL if time.monotonic() > begun + TERM_SECONDS else signal.SIGTERM
        for pid in descendants():
            try:
                os.kill(pid, number)
            except OSError:
                pass
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                break
            ended[pid] = status
        time.sleep(0.01)


def end_at_term(*_):
    end_all()
    os._exit(143)


def end_like(status):
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


ended = {}
tool = sys.argv[1:]
for number in PYTHONS_OWN:
    signal.signal(number, signal.SIG_DFL)
try:
    become_subreaper()
except (ImportError, AttributeError, OSError):
    os.execv(tool[0], tool)
own = os.fork()
if own == 0:
    os.execv(tool[0], tool)
# Ctrl-C reaches the tool too.
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, end_at_term)
while own not in ended:
    pid, status = os.waitpid(-1, 0)
    ended[pid] = status
end_all()
end_like(ended[own])
`;

/** The command, below a parent that holds on to its processes. @param python a Python of the machine, not of an environment */
export function kept(
  python: string,
  [program, ...args]: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  return [python, "-I", "-S", "-c", KEEPER, program, ...args];
}
