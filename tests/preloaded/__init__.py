"""Python processes that find TensorFlow and legacy_towers imported, which takes more CPU time than what most tests run.

`executable()` is a `python` for such processes, and `commands()` a folder for the PATH with `python` and
`legacy-towers`. A server imports both once for each process that runs tests, and forks: see server.py. Not for
tests of the import, of the log of TensorFlow's C++ code, or that send SIGKILL. With options of the interpreter such as
-I, a process of the plain interpreter runs.
"""
import atexit
import os
import shutil
import subprocess
import sys
import tempfile

_HERE = os.path.dirname(os.path.abspath(__file__))
_folder = None


def executable():
    """Returns the path of a program that runs Python as `sys.executable` does, with TensorFlow imported."""
    return os.path.join(commands(), "python")


def commands():
    """Returns the folder of the programs `python` and `legacy-towers`; the first call starts the server."""
    global _folder
    if _folder is None:
        folder = tempfile.mkdtemp(prefix="preloaded")
        _write(folder, "python")
        _write(folder, "legacy-towers", "-m", "legacy_towers")
        _start(os.path.join(folder, "socket"))
        _folder = folder
        atexit.register(shutil.rmtree, folder, True)
    return _folder


def _write(folder, name, *first):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write("#!/bin/sh\nexec '{}' -IS '{}' '{}' {} \"$@\"\n".format(
            sys.executable, os.path.join(_HERE, "client.py"), os.path.join(folder, "socket"), " ".join(first)
        ))
    os.chmod(path, 0o755)


def _start(path):
    """Starts the server and waits until it listens; it ends with this process, whose end closes its input."""
    variables = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="2")
    variables.pop("PYTHONPATH", None)
    server = subprocess.Popen(
        [sys.executable, os.path.join(_HERE, "server.py"), path], env=variables, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    if server.stdout.readline() != b"listening\n":
        raise RuntimeError("the server of preloaded processes ended with exit code {}".format(server.wait()))
