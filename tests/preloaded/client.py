"""Has the server run Python with these arguments, open files and environment, and ends as it ends: see server.py."""
import array
import json
import os
import signal
import socket
import sys

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)


def open_files():
    """Returns the numbers of this process's open files."""
    names = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else "012"
    return [number for number in map(int, names) if _is_open(number)]


def _is_open(number):
    try:
        os.fstat(number)
    except OSError:  # the folder itself, while it was listed
        return False
    return True


def main(path, arguments):
    files = array.array("i", open_files())
    server = socket.socket(socket.AF_UNIX)
    server.connect(path)
    for number in FORWARDED:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, frame: server.send(bytes([number])))
    request = json.dumps({
        "arguments": arguments, "environment": dict(os.environ), "folder": os.getcwd(), "umask": os.umask(0o22),
        "files": list(files), "parent": os.getppid(),
    }).encode()
    server.sendmsg([len(request).to_bytes(4, "big")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
    server.sendall(request)
    answer = b""
    while len(answer) < 4:
        part = server.recv(4 - len(answer))
        if not part:
            os._exit(70)
        answer += part
    status = int.from_bytes(answer, "big")
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


first = sys.argv[2] if len(sys.argv) > 2 else "-i"
if first.startswith("-") and first not in ("-B", "-c", "-m"):  # an option of the interpreter
    os.execv(sys.executable, [sys.executable] + sys.argv[2:])
main(sys.argv[1], sys.argv[2:])
