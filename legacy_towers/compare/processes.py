"""Starts, commands, stops between turns and ends the worker processes of a comparison."""
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers import tensorflow_logs
from legacy_towers.compare.channel import decode, encode

# Only Linux ends a stopped process whose parent has died; see `worker._end_with_parent`.
CAN_HOLD = sys.platform.startswith("linux")
_LINES_OF_LOG = 20


class WorkerFailed(Exception):
    """A worker can't continue; the message gives the reason in one sentence.

    Attributes:
      log: the last lines that it printed.
    """

    def __init__(self, sentence: str, log: str) -> None:
        super().__init__(sentence)
        self.log = log


class _Line(NamedTuple):
    worker: "Worker"
    message: Optional[Dict[str, Any]]  # None at the end


class Worker:
    """A worker process. Its output goes to a log that is shown only if it fails."""

    def __init__(self, name: str, lines: "queue.Queue[_Line]") -> None:
        self.name = name
        self._log = tempfile.TemporaryFile()
        environment = dict(os.environ, PYTHONUNBUFFERED="1")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "legacy_towers.compare.worker", str(os.getpid())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, env=environment,
        )
        self._lines = lines
        self._ended_by_us = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as source:
            for line in source:
                message = decode(line.decode("utf-8", "replace"))
                if message is not None:
                    self._lines.put(_Line(self, message))
        self._lines.put(_Line(self, None))

    def send(self, message: Dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._signal("SIGCONT")
        try:
            self._process.stdin.write(encode(message).encode("utf-8"))
            self._process.stdin.flush()
        except OSError:
            pass  # it has ended, which its reader thread reports

    def hold(self) -> None:
        """Stops the process with all its threads between turns, so that it can't disturb another worker's turn.

        Its buffers keep their contents, so that its next turn continues where this one ended.
        """
        self._signal("SIGSTOP")

    def _signal(self, name: str) -> None:
        if CAN_HOLD and self._process.poll() is None:
            _kill_group(self._process.pid, getattr(signal, name))

    def end(self) -> None:
        """Kills the process and its children, and waits until it has ended."""
        self._ended_by_us = True
        if os.name == "posix":
            # Also where it has ended by itself: its children may still run.
            _kill_group(self._process.pid, signal.SIGKILL)
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            try:
                self._process.stdin.close()
            except OSError:
                pass
        self._thread.join(5)
        self._log.close()

    def failure(self) -> WorkerFailed:
        """Returns the reason why the ended process ended."""
        code = self._process.wait()
        if code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
            why = "its process was killed by {}".format(name)
            if name == "SIGKILL":
                why += ": was there too little memory?"
        else:
            why = "its process ended by itself with exit code {}".format(code)
        return WorkerFailed(why, self.log())

    def log(self) -> str:
        """Returns the last lines that the process printed."""
        return "\n".join(self._printed().splitlines()[-_LINES_OF_LOG:])

    def tensorflow_log(self) -> str:
        """Returns the lines that TensorFlow's C++ code logged in the process."""
        return tensorflow_logs.split_lines(self._printed())[0]

    def _printed(self) -> str:
        self._log.seek(0)
        return self._log.read().decode("utf-8", "replace")


def _kill_group(pid: int, number: int) -> None:
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, number)
            return
        except ProcessLookupError:  # it hasn't left this process group yet, or has ended
            continue
        except PermissionError:
            continue


class Pool:
    """The workers of one number of towers: a context manager that ends all of them on exit.

    Args:
      timeout: seconds of silence after which a worker counts as hanging.
      show_log: called with each worker's TensorFlow log at its end, where TF_CPP_MIN_LOG_LEVEL is set.
    """

    def __init__(self, timeout: float, show_log: Callable[[str], None] = lambda text: None) -> None:
        self._timeout = timeout
        self._show_log = show_log
        self._lines: "queue.Queue[_Line]" = queue.Queue()
        self._workers: Dict[str, Worker] = {}
        self._ended: Dict[str, _Line] = {}  # of workers that ended between their turns

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *error: Any) -> None:
        for name in list(self._workers):
            self.drop(name)

    def __contains__(self, name: str) -> bool:
        return name in self._workers

    def start(
        self, first: Sequence[Tuple[str, Dict[str, Any]]], at_most: int, done: Callable[[str, Any], None]
    ) -> None:
        """Starts workers and sends each its first command."""
        self._each(first, at_most, done, self._start)

    def ask_all(
        self, commands: Sequence[Tuple[str, Dict[str, Any]]], at_most: int, done: Callable[[str, Any], None]
    ) -> None:
        """Sends commands to workers; the arguments are those of `start`."""
        self._each(commands, at_most, done, lambda name: None)

    def ask(self, name: str, command: Dict[str, Any]) -> Any:
        """Sends a command to a worker and returns its reply.

        Raises:
          WorkerFailed: it failed, ended or hangs; it has been dropped from the pool.
        """
        replies: List[Any] = []
        self.ask_all([(name, command)], 1, lambda _, reply: replies.append(reply))
        if isinstance(replies[0], WorkerFailed):
            raise replies[0]
        return replies[0]

    def _start(self, name: str) -> None:
        self._workers[name] = Worker(name, self._lines)

    def _each(
        self,
        commands: Sequence[Tuple[str, Dict[str, Any]]],
        at_most: int,
        done: Callable[[str, Any], None],
        prepare: Callable[[str], None],
    ) -> None:
        waiting = list(commands)
        heard: Dict[str, float] = {}  # name of a busy worker -> when its last message came
        doing: Dict[str, str] = {}
        while waiting or heard:
            while waiting and len(heard) < at_most:
                name, command = waiting.pop(0)
                prepare(name)
                self._workers[name].send(command)
                if name in self._ended:
                    self._lines.put(self._ended.pop(name))
                heard[name] = time.monotonic()
                doing[name] = str(command["do"])
            for name, reply in self._next(heard, doing):
                del heard[name]
                if isinstance(reply, WorkerFailed):
                    self.drop(name)
                else:
                    self._workers[name].hold()
                done(name, reply)

    def _next(self, heard: Dict[str, float], doing: Dict[str, str]) -> List[Tuple[str, Any]]:
        """Waits for the next message and returns (name, reply or WorkerFailed) of each worker that has finished."""
        oldest = min(heard.values())
        try:
            # With a timeout: on some systems Ctrl-C takes effect only when the call returns.
            line = self._lines.get(timeout=max(0.01, min(0.5, oldest + self._timeout - time.monotonic())))
        except queue.Empty:
            now = time.monotonic()
            return [
                (name, WorkerFailed(
                    "its process was silent for {:g} seconds in the command {!r} and was ended".format(
                        self._timeout, doing[name]
                    ), self._workers[name].log(),
                ))
                for name, last in heard.items() if now - last >= self._timeout
            ]
        worker = self._workers.get(line.worker.name)
        if worker is not line.worker:
            return []
        if line.message is None:
            if worker.name not in heard:
                self._ended[worker.name] = line  # reported with its next command
                return []
            return [(worker.name, worker.failure())]
        heard[worker.name] = time.monotonic()
        if "failed" in line.message:
            return [(worker.name, WorkerFailed(line.message["failed"], worker.log()))]
        return [(worker.name, line.message["reply"])] if "reply" in line.message else []

    def drop(self, name: str) -> None:
        """Ends a worker."""
        worker = self._workers.pop(name, None)
        self._ended.pop(name, None)
        if worker is None:
            return
        logged = worker.tensorflow_log() if tensorflow_logs.are_shown() else ""
        worker.end()
        if logged:
            self._show_log("TensorFlow's log in the process of {}:\n{}".format(name, logged))
