"""Runs a command as each task of a cluster on this machine, and ends all tasks when one fails."""
import os
import signal
import sys
import threading
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.cluster.launching.elastic import Elastic, Range
from legacy_towers.cluster.launching.guard import Guard
from legacy_towers.cluster.launching.local_ports import reserved_addresses
from legacy_towers.cluster.launching.processes import (
    BY_SIGTERM,
    FINAL,
    GRACE_SECONDS,
    POLL_SECONDS,
    TERMINATED,
    TaskProcess,
    end_all,
    print_message,
    running,
)
from legacy_towers.cluster.launching.remaining import Remaining
from legacy_towers.cluster.launching.signals import Signals
from legacy_towers.cluster.launching.task_environment import environment_of, filled, gpus_of
from legacy_towers.cluster.value import CHIEF, EVALUATOR, PARAMETER_SERVER, WORKER, Task
from legacy_towers.errors import ArgumentError
from legacy_towers.text.names import counted


def launch(
    command: Sequence[str],
    workers: int,
    parameter_servers: int = 0,
    environ: Mapping[str, str] = os.environ,
    grace_seconds: float = GRACE_SECONDS,
    stdout: Any = None,
    stderr: Any = None,
    chief: bool = False,
    evaluators: int = 0,
    restarts: int = 0,
    optional: Sequence[str] = (),
    elastic: Optional[Elastic] = None,
    newest_checkpoint: Optional[Callable[[], Optional[str]]] = None,
    gpus_per_worker: Optional[int] = None,
) -> int:
    """Runs `command` once per task, each with its TF_CONFIG, and returns the exit code when all have ended.

    Each line of their output begins with the name of the task. When a task fails, the others get SIGTERM, and are
    killed after `grace_seconds`. Parameter servers, which serve without end, are ended when all other tasks have.
    Ctrl-C and SIGTERM end all tasks. If this process is killed by SIGKILL, a guard process ends
    them.

    Args:
      command: the program and its arguments. In each word, "{job_name}", "{task_index}" and "{worker_hosts}",
        "{ps_hosts}" or "{chief_hosts}" become the job and index of the task, and the addresses of a job, by commas.
      workers: how many tasks of the job "worker" train.
      parameter_servers: how many tasks hold variables.
      environ: the environment of the tasks, to which TF_CONFIG is added.
      stdout: a binary stream for the tasks' output; by default this process's.
      stderr: one for what they write to standard error, and for messages.
      chief: whether a task of the job "chief" trains too, as tf.estimator needs it; else worker 0 is the chief.
      evaluators: 1 for a task that evaluates checkpoints. Its address is in its own TF_CONFIG, where strategies of
        tf.distribute need it, and not in those of the others, which don't connect to it.
      restarts: how often all tasks are started again, when one has failed. Not after exit code 2, a wrong option, or
        130 and 143, with which programs end that Ctrl-C or SIGTERM has asked to.
      optional: jobs whose tasks the others do without: when one fails, they go on. Its exit code is returned if all
        others end with 0.
      elastic: how many tasks train after one has failed, in place of `workers`. All are started again with another
        number; these starts don't count as `restarts`. For a program that saves a checkpoint and ends with exit code
        143 when its chief gets SIGTERM, as `train` does: so all are ended before a worker is taken in again.
      newest_checkpoint: returns what the program resumes from, None if there is nothing. When tasks end twice with the
        same exit code and the same checkpoint, the error is one of the program, such as a loss that is NaN, and not
        that of a lost task: they are not started again. Tasks that a signal has ended always are.
      gpus_per_worker: how many GPUs of its own each task that trains gets by CUDA_VISIBLE_DEVICES; the other tasks get
        none then. By default each task sees all GPUs.

    Returns:
      0 if all did; else the exit code of the first task that failed last, 1 for one that was ended by a signal;
      128 + N if signal N ended the launch.

    Raises:
      ArgumentError: there is no command, no program of its name, no task that trains, or a number is out of range.
    """
    if not command:
        raise ArgumentError("there is no command to launch: write it after --, as in `-- python train.py`")
    elastic = elastic or Elastic(Range(workers, workers))
    counts = _counts(elastic.workers, parameter_servers, chief, evaluators)
    output = stdout or sys.stdout.buffer
    messages = stderr or sys.stderr.buffer
    reserved = reserved_addresses(sum(count for _, count in counts))
    with reserved as addresses, Signals() as signals, Guard(grace_seconds) as guard:
        all_jobs: Dict[str, List[str]] = {}
        for job, count in counts:
            all_jobs[job], addresses = addresses[:count], addresses[count:]
        writing = threading.Lock()
        done = 0
        repeated = _Repeated(newest_checkpoint)
        while True:
            jobs = dict(all_jobs)
            if WORKER in jobs:
                jobs[WORKER] = jobs[WORKER][:elastic.workers]
            tasks = [Task(job, index) for job, hosts in jobs.items() for index in range(len(hosts))]
            gpus = None if gpus_per_worker is None else gpus_of(environ, tasks, gpus_per_worker)
            processes: List[TaskProcess] = []
            try:
                for task in tasks:
                    words = [filled(word, jobs, task) for word in command]
                    environment = environment_of(environ, jobs, task)
                    environment.update({} if gpus is None else {"CUDA_VISIBLE_DEVICES": gpus[task]})
                    processes.append(TaskProcess(task, words, environment, output, messages, writing))
                    guard.started(processes[-1].process.pid)
                ending = _wait(processes, signals, messages, grace_seconds, optional, elastic)
            finally:
                end_all(processes, grace_seconds)
                for each in processes:
                    guard.ended(each.process.pid)
            if ending.is_final or signals.received is not None:
                return ending.code
            if ending.is_pause:
                elastic.take_in()
                print_message(messages, "starting with {} again".format(counted(elastic.workers, "worker")))
                continue
            if ending.code in FINAL:
                return ending.code
            if (done < restarts or elastic.can_lose) and repeated.is_so(ending):
                print_message(messages, "{} ended with exit code {} again, and no checkpoint has been saved since the "
                               "last start: not starting again what would fail again".format(ending.task, ending.code))
                return ending.code
            if ending.task is not None and ending.task.type in (CHIEF, WORKER) and elastic.lose():
                print_message(messages, "going on with {}".format(counted(elastic.workers, "worker")))
                continue
            if done == restarts:
                return ending.code
            done += 1
            print_message(messages, "starting all {} again, {} of {}".format(
                counted(len(tasks), "task"), done, counted(restarts, "restart")
            ))


class _Ending(NamedTuple):
    """How tasks have ended.

    Attributes:
      code: the exit code.
      task: the one that failed; None if none did.
      is_pause: whether all ended with a checkpoint, since a worker is to be taken in again.
      is_final: whether all tasks that are needed have done their work; the code can be that of an optional one.
      is_by_signal: whether a signal ended the one that failed.
    """

    code: int
    task: Optional[Task] = None
    is_pause: bool = False
    is_final: bool = False
    is_by_signal: bool = False


class _Repeated:
    """Recognises a failure that starting again does not help: the same exit code, without a checkpoint in between."""

    def __init__(self, newest_checkpoint: Optional[Callable[[], Optional[str]]]) -> None:
        self._newest_checkpoint = newest_checkpoint
        self._last: Optional[Tuple[int, Optional[str]]] = None

    def is_so(self, ending: _Ending) -> bool:
        """Returns whether the last call was for the same failure."""
        if self._newest_checkpoint is None:
            return False
        failure = None if ending.is_by_signal else (ending.code, self._newest_checkpoint())
        is_same = failure is not None and failure == self._last
        self._last = failure
        return is_same


def _counts(workers: int, parameter_servers: int, chief: bool, evaluators: int) -> List[Tuple[str, int]]:
    """Returns each job that has tasks, and their number.

    Raises:
      ArgumentError: a number is out of range, or no task trains.
    """
    if workers < 0 or parameter_servers < 0 or not (workers or chief):
        raise ArgumentError("--workers is {} and --ps {}: at least one worker is needed, or --chief".format(
            workers, parameter_servers
        ))
    if evaluators not in (0, 1):
        raise ArgumentError("--evaluators is {}: there is one evaluator or none".format(evaluators))
    counts = [(CHIEF, int(chief)), (WORKER, workers), (PARAMETER_SERVER, parameter_servers), (EVALUATOR, evaluators)]
    return [(job, count) for job, count in counts if count]


def _wait(
    processes: List[TaskProcess], signals: Signals, messages: Any, grace_seconds: float, optional: Sequence[str],
    elastic: Elastic,
) -> _Ending:
    chief, is_pausing = processes[0], False
    lost: List[TaskProcess] = []
    remaining = Remaining()
    while True:
        if not is_pausing and elastic.is_return_due():
            is_pausing = True
            print_message(messages, "a worker is to be taken in again: ending all with a checkpoint")
            chief.send(signal.SIGTERM)
        if is_pausing and chief.process.poll() in BY_SIGTERM:
            # The chief saves: it is the last that has something to do.
            end_all(processes, grace_seconds)
            return _Ending(TERMINATED, is_pause=True)
        if signals.received is not None:
            print_message(messages, "{} received: ending {}".format(
                signal.Signals(signals.received).name, counted(running(processes), "task")
            ))
            end_all(processes, grace_seconds, signals.received)
            return _Ending(128 + signals.received)
        for each in processes:
            code = each.process.poll()
            if not code or is_pausing and code in BY_SIGTERM:
                continue
            if each.task.type in optional:
                if each not in lost:
                    lost.append(each)
                    print_message(messages, "{} {}; the others go on without it".format(each.task, each.ending()))
            else:
                left = running(processes)
                others = "; ending the other {}".format(counted(left, "task")) if left else ""
                print_message(messages, "{} {}{}".format(each.task, each.ending(), others))
                end_all(processes, grace_seconds)
                return _Ending(code if code > 0 else 1, each.task, is_by_signal=code < 0)
        needed = [each for each in processes if each.task.type != PARAMETER_SERVER and each not in lost]
        ended = [each.task for each in needed if each.process.poll() == 0]
        if len(ended) == len(needed):
            end_all(processes, grace_seconds)
            codes = [each.process.returncode for each in lost]
            return _Ending(max(codes[0], 1) if codes else 0, is_final=True)
        described = remaining.described(ended, [each.task for each in needed if each.task not in ended])
        if described is not None:
            print_message(messages, described)
        signals.wait(POLL_SECONDS)
