"""A process that is one task of a cluster: its output, line by line with the task's name, and its end."""
import os
import signal
import subprocess
import threading
import time
from typing import Any, Mapping, Sequence

from legacy_towers.cluster.value import Task
from legacy_towers.errors import ArgumentError

# How long the output of a process that has ended may stay open, in a process that it started.
_OUTPUT_SECONDS = 1.0
# How long tasks have to end by themselves, after SIGTERM, before they are killed.
GRACE_SECONDS = 8.0
POLL_SECONDS = 0.05
# The exit code of a program that SIGTERM has ended, and both codes of its process.
TERMINATED = 128 + signal.SIGTERM
BY_SIGTERM = (TERMINATED, -signal.SIGTERM)
# Exit codes after which a program is not started again: success, a wrong option, Ctrl-C and SIGTERM.
FINAL = (0, 2, 128 + signal.SIGINT, TERMINATED)


class TaskProcess:
    """A running task.

    Attributes:
      task: which task it is.
      process: the process, the leader of a process group of its own, so that its children end with it.
    """

    def __init__(
        self, task: Task, command: Sequence[str], environment: Mapping[str, str], output: Any, messages: Any,
        writing: threading.Lock,
    ) -> None:
        """Starts the process.

        Args:
          output: the binary stream for what it writes to standard output.
          messages: the one for what it writes to standard error.
          writing: held while a line is written, so that lines of different tasks don't mix.

        Raises:
          ArgumentError: there is no such program.
        """
        self.task = task
        self._writing = writing
        try:
            self.process = subprocess.Popen(
                list(command), env=dict(environment), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, start_new_session=True,
            )
        except OSError as error:
            raise ArgumentError("can't run {!r}: {}".format(command[0], error.strerror)) from None
        self._threads = [
            threading.Thread(target=self._copy, args=streams, daemon=True)
            for streams in ((self.process.stdout, output), (self.process.stderr, messages))
        ]
        for thread in self._threads:
            thread.start()

    def ending(self) -> str:
        """Returns how the process has ended, such as "ended with exit code 2"."""
        return described_end(self.process.returncode)

    def send(self, number: int) -> None:
        """Sends a signal to the process, if it still runs, and to those that it started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """Kills the process and those that it started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:  # none of them runs
            pass

    def finish(self) -> None:
        """Waits for the end of the process and of its output."""
        self.process.wait()
        for thread in self._threads:
            thread.join(_OUTPUT_SECONDS)

    def _copy(self, source: Any, target: Any) -> None:
        prefix = "[{}] ".format(self.task).encode("utf-8")
        for line in source:
            with self._writing:
                target.write(prefix + line.rstrip(b"\r\n") + b"\n")
                target.flush()
        source.close()


def described_end(code: int) -> str:
    """Returns how a process has ended, such as "was ended by SIGKILL" for the code -9."""
    return "ended with exit code {}".format(code) if code >= 0 else "was ended by {}".format(
        signal.Signals(-code).name
    )


def end_all(
    processes: Sequence[TaskProcess], grace_seconds: float, number: int = signal.SIGTERM
) -> None:
    """Ends the processes that still run, and waits for them and their output.

    Args:
      grace_seconds: after this they are killed.
      number: the signal that they get first.
    """
    for each in processes:
        each.send(number)
    deadline = time.monotonic() + grace_seconds
    while running(processes) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    for each in processes:
        each.kill()
        each.finish()


def running(processes: Sequence[TaskProcess]) -> int:
    """Returns how many of the processes have not ended."""
    return sum(each.process.poll() is None for each in processes)


def print_message(messages: Any, text: str) -> None:
    """Writes a line of the launcher itself to a binary stream."""
    messages.write("legacy-towers launch: {}\n".format(text).encode("utf-8"))
    messages.flush()
