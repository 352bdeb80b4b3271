"""Ends the tasks of a launcher that was killed: a process of its own, which SIGKILL of the launcher does not end.

    launcher --- pipe: process groups ---> guard
        \\---> tasks

The pipe is closed when the launcher ends, however that happens. This file runs by itself, without the package.
"""
import os
import signal
import subprocess
import sys
import time
from typing import Any, Set

_POLL_SECONDS = 0.1


class Guard:
    """The process that ends the tasks of this one, should it be killed; a context manager."""

    def __init__(self, grace_seconds: float) -> None:
        """
        Args:
          grace_seconds: how long tasks have to end by themselves, after SIGTERM, before they are killed.
        """
        # A session of its own: Ctrl-C of a terminal is not for it. Unbuffered: what a guard that was killed could not
        # read must not be written again when the pipe is closed.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", os.path.abspath(__file__), str(grace_seconds)], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, bufsize=0,
        )

    def started(self, group: int) -> None:
        """Adds the process group of a task."""
        self._write("+{}\n".format(group))

    def ended(self, group: int) -> None:
        """Removes the process group of a task that has ended: its number may become that of others."""
        self._write("-{}\n".format(group))

    def __enter__(self) -> "Guard":
        return self

    def __exit__(self, *error: Any) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None
        self._process.stdin.close()

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode("ascii"))
        except BrokenPipeError:  # somebody has killed it
            pass


def _guard(lines: Any, grace_seconds: float) -> None:
    """Notes process groups until the end of `lines`, and ends those that are left then."""
    groups: Set[int] = set()
    for line in lines:
        (groups.add if line[:1] == b"+" else groups.discard)(int(line[1:]))
    _send(groups, signal.SIGTERM)
    until = time.monotonic() + grace_seconds
    while groups and time.monotonic() < until:
        time.sleep(_POLL_SECONDS)
        _send(groups, 0)
    _send(groups, signal.SIGKILL)


def _send(groups: Set[int], number: int) -> None:
    """Sends a signal to each group, and removes those that have ended."""
    for group in list(groups):
        try:
            os.killpg(group, number)
        except (ProcessLookupError, PermissionError):
            groups.discard(group)


if __name__ == "__main__":
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    _guard(sys.stdin.buffer, float(sys.argv[1]))
