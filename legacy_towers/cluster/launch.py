"""Runs a command as each task of a cluster on this machine, and ends all tasks when one fails."""
import json
import os
import signal
import sys
import threading
import time
from typing import Any, Dict, List, Mapping, Optional, Sequence

from legacy_towers.cluster.local_ports import reserved_addresses
from legacy_towers.cluster.processes import TaskProcess
from legacy_towers.cluster.value import PARAMETER_SERVER, WORKER, Task
from legacy_towers.errors import ArgumentError
from legacy_towers.text.names import counted

# How long tasks have to end by themselves, after SIGTERM, before they are killed.
GRACE_SECONDS = 8.0
_POLL_SECONDS = 0.05


def launch(
    command: Sequence[str],
    workers: int,
    parameter_servers: int = 0,
    environ: Mapping[str, str] = os.environ,
    grace_seconds: float = GRACE_SECONDS,
    stdout: Any = None,
    stderr: Any = None,
) -> int:
    """Runs `command` once per task, each with its TF_CONFIG, and returns the exit code when all have ended.

    Each line of their output begins with the name of the task. When a task fails, the others get SIGTERM, and are
    killed after `grace_seconds`. Parameter servers, which serve without end, are ended when all workers have. Ctrl-C
    and SIGTERM end all tasks.

    Args:
      command: the program and its arguments.
      workers: how many tasks train.
      parameter_servers: how many tasks hold variables.
      environ: the environment of the tasks, to which TF_CONFIG is added.
      stdout: a binary stream for the tasks' output; by default this process's.
      stderr: one for what they write to standard error, and for messages.

    Returns:
      0 if all workers did; else the exit code of the first task that failed, 1 for one that was ended by a signal;
      128 + N if signal N ended the launch.

    Raises:
      ArgumentError: there is no command, no program of its name, or no worker.
    """
    if not command:
        raise ArgumentError("there is no command to launch: write it after --, as in `-- python train.py`")
    if workers < 1 or parameter_servers < 0:
        raise ArgumentError("--workers is {} and --ps {}: at least one worker is needed".format(
            workers, parameter_servers
        ))
    output = stdout or sys.stdout.buffer
    messages = stderr or sys.stderr.buffer
    with reserved_addresses(workers + parameter_servers) as addresses, _Signals() as signals:
        jobs = {WORKER: addresses[:workers], PARAMETER_SERVER: addresses[workers:]}
        jobs = {job: tasks for job, tasks in jobs.items() if tasks}
        processes: List[TaskProcess] = []
        writing = threading.Lock()
        try:
            for job, tasks in jobs.items():
                for index in range(len(tasks)):
                    environment = _environment(environ, jobs, Task(job, index))
                    processes.append(
                        TaskProcess(Task(job, index), command, environment, output, messages, writing)
                    )
            return _wait(processes, signals, messages, grace_seconds)
        finally:
            end_all(processes, grace_seconds)


def _environment(environ: Mapping[str, str], jobs: Mapping[str, List[str]], task: Task) -> Dict[str, str]:
    config = json.dumps({"cluster": jobs, "task": {"type": task.type, "index": task.number}})
    # Unbuffered: what a task prints must not wait until it ends.
    return dict(environ, TF_CONFIG=config, PYTHONUNBUFFERED="1")


def _wait(processes: List[TaskProcess], signals: "_Signals", messages: Any, grace_seconds: float) -> int:
    while True:
        if signals.received is not None:
            _say(messages, "{} received: ending {}".format(
                signal.Signals(signals.received).name, counted(_running(processes), "task")
            ))
            end_all(processes, grace_seconds, signals.received)
            return 128 + signals.received
        for each in processes:
            code = each.process.poll()
            if code:
                running = _running(processes)
                others = "; ending the other {}".format(counted(running, "task")) if running else ""
                _say(messages, "{} {}{}".format(each.task, each.ending(), others))
                end_all(processes, grace_seconds)
                return code if code > 0 else 1
        if all(each.process.poll() == 0 for each in processes if each.task.type == WORKER):
            end_all(processes, grace_seconds)
            return 0
        signals.wait(_POLL_SECONDS)


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
    while _running(processes) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    for each in processes:
        each.kill()
        each.finish()


def _running(processes: Sequence[TaskProcess]) -> int:
    return sum(each.process.poll() is None for each in processes)


def _say(messages: Any, text: str) -> None:
    messages.write("legacy-towers launch: {}\n".format(text).encode("utf-8"))
    messages.flush()


class _Signals:
    """Notes SIGINT and SIGTERM instead of ending this process; a context manager of the main thread."""

    def __init__(self) -> None:
        self.received: Optional[int] = None
        self._event = threading.Event()
        self._earlier: Dict[int, Any] = {}

    def __enter__(self) -> "_Signals":
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._earlier[number] = signal.signal(number, self._receive)
        return self

    def __exit__(self, *error: Any) -> None:
        for number, earlier in self._earlier.items():
            signal.signal(number, earlier)

    def wait(self, seconds: float) -> None:
        """Returns after `seconds`, or when a signal arrives."""
        self._event.wait(seconds)

    def _receive(self, number: int, frame: Any) -> None:
        self.received = number
        self._event.set()
