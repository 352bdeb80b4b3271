"""`python -m legacy_towers.compare.worker PARENT`: measures one candidate at one number of towers.

The process answers one command at a time and ends when its standard input is closed, so that it never outlives the
process that started it.
"""
import os
import queue
import signal
import sys
import threading
import time
from typing import Any, Dict, Optional

from legacy_towers.compare.channel import Channel
from legacy_towers.training.job_traceback import print_traceback

# How often a busy worker reports that it is alive, in seconds.
_HEARTBEAT_SECONDS = 1.0


def main() -> None:
    """Answers commands until standard input is closed."""
    _end_with_parent(int(sys.argv[1]))
    channel = Channel()
    commands: "queue.Queue[Optional[Dict[str, Any]]]" = queue.Queue()
    threading.Thread(target=_read, args=(channel, commands), daemon=True).start()
    worker: Any = None
    while True:
        command = commands.get()
        if command is None:
            os._exit(0)
        try:
            if worker is None:
                worker = _make_worker(command, _Heartbeat(channel))
            reply = {"reply": getattr(worker, "do_" + command.pop("do"))(**command)}
        except BaseException as error:  # also SystemExit of a job, and KeyboardInterrupt
            print_traceback(error)
            sys.stderr.flush()
            reply = {"failed": _in_one_sentence(error)}
        channel.send(reply)


class _Heartbeat:
    """Reports to `compare` at intervals that the worker is alive."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._last = time.monotonic()

    def __call__(self) -> None:
        now = time.monotonic()
        if now - self._last >= _HEARTBEAT_SECONDS:
            self._last = now
            self._channel.send({"alive": True})


def _make_worker(first: Dict[str, Any], alive: Any) -> Any:
    from legacy_towers.compare.tasks import Tasks
    from legacy_towers.compat import tf

    tf.logging.set_verbosity(tf.logging.ERROR)
    return Tasks(alive=alive)


def _read(channel: Channel, commands: "queue.Queue[Optional[Dict[str, Any]]]") -> None:
    for command in channel:
        commands.put(command)
    # At once: the main thread may be blocked in a command.
    os._exit(0)


def _end_with_parent(parent: int) -> None:
    """Leaves the process group that Ctrl-C reaches; on Linux also asks to be killed when the parent dies.

    A worker that is stopped between its turns can't notice that its input is closed: the system has to end it.
    """
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    if sys.platform.startswith("linux"):
        import ctypes

        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:  # it died before the call
        os._exit(0)


def _in_one_sentence(error: BaseException) -> str:
    from legacy_towers.errors import UserError

    if isinstance(error, UserError):
        return str(error)
    text = str(error)
    if "tensorflow" in sys.modules:
        from legacy_towers.compat import tf
        from legacy_towers.compat.versions.messages import plain_message

        if isinstance(error, tf.errors.OpError):
            text = plain_message(error)
    first = text.strip().splitlines()[0] if text.strip() else ""
    if isinstance(error, MemoryError):
        first = first or "there was not enough memory"
    return "{}: {}".format(type(error).__name__, first) if first else type(error).__name__


if __name__ == "__main__":
    main()
