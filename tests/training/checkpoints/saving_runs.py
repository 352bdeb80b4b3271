"""Saves in processes that kill themselves, at a given operation on files or after a given time.

    python saving_runs.py DIRECTORY KILL...

KILL is a number of operations on files in the fourth checkpoint, or seconds with "s" at the end, in which checkpoints
are saved one after the other. Each kill has a subdirectory of its own, named by it. TensorFlow is imported once: the
processes are forked before it has any threads.
"""
import os
import shutil
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))

import checkpointed  # noqa: E402

from legacy_towers.training.checkpoints import files  # noqa: E402

OPERATIONS = ("make_directory", "content_of", "sync", "sync_directory", "write", "move", "remove", "remove_tree")


def kill():
    os.kill(os.getpid(), signal.SIGKILL)


def kill_at_operation(number):
    """Kills this process instead of its operation of that number on files."""
    count = [0]

    def counting(name, real):
        def operation(*arguments):
            count[0] += 1
            if count[0] == number:
                if name == "write":  # in its middle
                    with open(arguments[0], "wb") as target:
                        target.write(arguments[1][: len(arguments[1]) // 3])
                kill()
            return real(*arguments)

        return operation

    for name in OPERATIONS:
        setattr(files, name, counting(name, getattr(files, name)))


def save_until_killed(directory, when):
    is_time = when.endswith("s")
    with checkpointed.Model(300000 if is_time else 100, directory, keep=2) as model:
        model.store.open()
        if is_time:
            threading.Timer(float(when[:-1]), kill).start()
        else:
            model.store.restore(model.session)
            kill_at_operation(int(when))
        until = time.time() + (20 if is_time else 0)
        model.save()
        while time.time() < until:
            model.save()


def forked(function, *arguments):
    """Returns the status of a process that calls a function."""
    child = os.fork()
    if not child:
        try:
            function(*arguments)
        finally:
            os._exit(0)
    return os.waitpid(child, 0)[1]


def main(directory, kills):
    start = os.path.join(directory, "start")
    forked(checkpointed.save_several, start, 3)
    for when in kills:
        if not when.endswith("s"):
            shutil.copytree(start, os.path.join(directory, when))
        print(when, forked(save_until_killed, os.path.join(directory, when), when), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
