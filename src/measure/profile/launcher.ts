/**
 * Starts a server below a process that becomes py-spy when it gets SIGUSR1. Linux lets a process without privileges look
 * into its descendants (Yama's ptrace_scope 1, the default of Debian and Ubuntu); so the sampler has to be an ancestor of the
 * server, and of all its workers. Until then the process only waits, and ends as its server does.
 */

/** Arguments: the sampler's command as JSON with `{pid}`, the file for its output, the server's command. */
const LAUNCHER = `
import json, os, signal, sys

sampler, output, *server = sys.argv[1:]
waited = {signal.SIGUSR1, signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}


def start():
    pid = os.fork()
    if pid != 0:
        return pid
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, waited)
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        os.execvp(server[0], server)
    except OSError as error:
        os.write(2, f"cannot start {server[0]}: {error.strerror}\\n".encode())
    finally:
        os._exit(127)


def end_as(status):
    if not os.WIFSIGNALED(status):
        os._exit(os.WEXITSTATUS(status))
    number = os.WTERMSIG(status)
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, range(1, signal.NSIG))
    os.kill(os.getpid(), number)


def become_sampler(pid):
    file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(file, 1)
    os.dup2(file, 2)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, waited)
    command = [part.replace("{pid}", str(pid)) for part in json.loads(sampler)]
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"cannot start {command[0]}: {error.strerror}\\n".encode())
        os._exit(127)


signal.pthread_sigmask(signal.SIG_BLOCK, waited)
pid = start()
while True:
    number = signal.sigwait(waited)
    if number == signal.SIGUSR1:
        become_sampler(pid)
    if number == signal.SIGCHLD:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended == pid:
            end_as(status)
`;

/** @param sampler command with `{pid}` for the server's process @param output file that it writes its messages to */
export function launchedCommand(server: readonly string[], sampler: readonly string[], output: string): string[] {
  return ["python3", "-I", "-S", "-c", LAUNCHER, JSON.stringify(sampler), output, ...server];
}
