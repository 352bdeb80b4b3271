"""Forks a process with TensorFlow imported for each request, and runs Python in it as the interpreter would.

A request is the length of a JSON text, with the open files attached, and the text; then, one byte each, the
signals to be forwarded. The answer is the status that `os.waitpid` gave. Between server and program stands a process
that waits for both ends: if the client is gone, so is the program.
"""
import array
import fcntl
import gc
import importlib
import json
import os
import random
import runpy
import select
import signal
import socket
import sys
import types

FILES = 64  # at most, in a request
UNUSED = 512  # no file has this number or a higher one
# What `run`, `train` and jobs import when they first need it: 240 to 370 modules of ours, which took half the CPU time
# of a short script under `run`. Not `compat.tf1.importable`, whose import starts the runtime of the running script.
MODULES = (
    "autotune.choose", "cli.main", "cli.run", "cli.train", "compat.tf1.pre_1_0.old_arguments", "compat.tf1.registry",
    "data.example_set", "doctor.first_step", "run.python2.certain", "run.python2.division", "run.python2.rewrite",
    "run.rewriting.mixed_numbers", "run.rewriting.quotients", "run.rewriting.scalars", "run.runtime.device_map",
    "run.runtime.options", "run.runtime.queue_conversion", "run.runtime.script_runtime", "run.start",
    "specs.pipelines", "specs.reductions", "specs.strategies", "training.train",
)


def main(path):
    sys.path.pop(0)  # the folder of this file
    preload()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C in the terminal is for the tests
    print("listening", flush=True)
    while True:
        ready, _, _ = select.select([listener, 0], [], [])
        if 0 in ready:
            return None
        client, _ = listener.accept()
        if not os.fork():
            listener.close()
            return serve(client)
        client.close()


def preload():
    import sklearn.datasets  # noqa: F401

    from legacy_towers.compat import tf

    assert tf.__version__
    for name in MODULES:
        importlib.import_module("legacy_towers." + name)
    if tf.__version__.startswith("1.15"):  # AutoGraph of 1.15 imports it, in a second, for the first function of a map
        importlib.import_module("tensorflow_core.contrib")
    gc.collect()
    gc.freeze()


def serve(client):
    """Returns, in a process of its own, what it is to run, or ends with the status of that process."""
    size, attached, _, _ = client.recvmsg(4, socket.CMSG_LEN(FILES * array.array("i").itemsize))
    files = array.array("i", attached[0][2])
    text = b""
    while len(text) < int.from_bytes(size, "big"):
        text += client.recv(1 << 16)
    request = json.loads(text.decode())
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    program = os.fork()
    if not program:
        signal.set_wakeup_fd(-1)
        for each in (reader, writer):
            os.close(each)
        client.close()
        prepare(request, files)
        return request["arguments"]
    for each in files:
        os.close(each)
    os._exit(wait(client, reader, program))


def wait(client, reader, program):
    """Forwards signals until the program has ended; sends its status."""
    watched = [client, reader]
    while True:
        ready, _, _ = select.select(watched, [], [])
        if client in ready:
            signals = client.recv(64)
            if not signals:
                os.kill(program, signal.SIGKILL)
                watched.remove(client)
            for number in signals:
                os.kill(program, number)
        if reader in ready:
            os.read(reader, 64)
            ended, status = os.waitpid(program, os.WNOHANG)
            if ended:
                if client in watched:
                    client.send(status.to_bytes(4, "big"))
                return 0


def prepare(request, files):
    """Gives this process the client's files, folder and environment, and signals and random numbers of its own."""
    # The numbers that the files are to have may be taken by others of them.
    moved = [fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, UNUSED) for file in files]
    for file in files:
        os.close(file)
    for number, file in zip(request["files"], moved):
        os.dup2(file, number)
        os.close(file)
    by_line = bool(request["environment"].get("PYTHONUNBUFFERED"))
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=by_line or stream.isatty() or stream is sys.stderr)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.umask(request["umask"])
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    os.getppid = parent_of(os.getpid(), request["parent"], os.getppid)
    sys.path[:0] = [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
    random.seed()
    sys.modules["numpy"].random.seed()


def parent_of(program, parent, getppid):
    """Returns an os.getppid for which the process that started the client is the parent of `program`."""
    return lambda: parent if os.getpid() == program else getppid()


def run(arguments):
    """Runs what the arguments of the interpreter say, in a new module `__main__`."""
    while arguments[0] == "-B":
        arguments = arguments[1:]
    first, rest = arguments[0], arguments[1:]
    if first == "-m":
        sys.path.insert(0, os.getcwd())
        sys.argv[:] = ["-m"] + rest[1:]
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        return
    module = types.ModuleType("__main__")
    module.__builtins__ = sys.modules["builtins"]
    sys.modules["__main__"] = module
    if first == "-c":
        path, source, sys.argv[:] = "<string>", rest[0], ["-c"] + rest[1:]
        sys.path.insert(0, "")
    else:
        path, sys.argv[:] = first, arguments
        module.__file__ = path
        sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
        with open(path, "rb") as file:
            source = file.read()
    exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)


def print_without_this_file(error):
    """Prints the traceback from the program's first frame on."""
    first = error.__traceback__
    while first is not None and first.tb_frame.f_code.co_filename in (__file__, runpy.__file__):
        first = first.tb_next
    sys.excepthook(type(error), error.with_traceback(first), first)


if __name__ == "__main__":
    its_arguments = main(sys.argv[1])
    if its_arguments is not None:
        try:
            run(its_arguments)
        except SystemExit:
            raise
        except BaseException as raised:
            print_without_this_file(raised)
            if isinstance(raised, KeyboardInterrupt):
                sys.stdout.flush()
                signal.signal(signal.SIGINT, signal.SIG_DFL)
                os.kill(os.getpid(), signal.SIGINT)
            sys.exit(1)
