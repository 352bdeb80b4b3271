"""Runs one task of a cluster on this machine, again after a failure, in agreement with the launchers of the others."""
import os
import signal
import sys
import threading
import time
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.cluster.launching.guard import Guard
from legacy_towers.cluster.launching.members import (
    LAUNCHED_TWICE,
    LEAVING,
    LEFT,
    PAUSING,
    READY,
    RUNNING,
    SILENT_SECONDS,
    Member,
    Members,
    Round,
)
from legacy_towers.cluster.launching.processes import (
    BY_SIGTERM,
    FINAL,
    GRACE_SECONDS,
    POLL_SECONDS,
    TaskProcess,
    end_all,
    print_message,
)
from legacy_towers.cluster.launching.rounds import Rounds, Settings
from legacy_towers.cluster.launching.running_round import Ending, RunningRound
from legacy_towers.cluster.launching.signals import Signals
from legacy_towers.cluster.launching.task_environment import environment_of, filled
from legacy_towers.cluster.value import EVALUATOR, Cluster, Task
from legacy_towers.errors import ClusterError, MissingTaskError
from legacy_towers.text.names import counted

_READ_SECONDS = 0.5
# How long after its end an evaluator starts again while the others train: it may have ended since they have failed.
_EVALUATOR_SECONDS = 5.0
# How long a launcher looks for another one of its task, which writes its file every second.
_OTHER_SECONDS = 2.5
# What a launcher waits for is printed if it takes longer than this.
_QUIET_SECONDS = 5.0


class Times(NamedTuple):
    """Times of a launcher.

    Attributes:
      start_seconds: how long it waits until enough tasks are there, while none trains.
      return_seconds: how long the others train before one that is there again is taken in.
      grace_seconds: how long a process that was asked to end has for it.
    """

    start_seconds: float
    return_seconds: float
    grace_seconds: float = GRACE_SECONDS


def launch_task(
    cluster: Cluster,
    command: Sequence[str],
    directory: str,
    settings: Settings,
    times: Times,
    newest_checkpoint: Optional[Callable[[], Optional[str]]],
    environ: Mapping[str, str] = os.environ,
    stdout: Any = None,
    stderr: Any = None,
) -> int:
    """Runs `command` as this process's task of a cluster, once in each round of the run, and returns the exit code.

    A round begins when enough tasks are there; its tasks are numbered from 0, and get their TF_CONFIG. When one fails
    or is lost, the others have to notice it and end; then the launchers agree on the next round: with all tasks, or
    with those left. A task that is there again, or was left out since it failed, is taken in after a while: the chief's
    launcher asks for a checkpoint and the end of all by SIGTERM to the chief's process, as `train` understands it.
    An evaluator is in no round: its process runs beside each, with the addresses of its tasks.

    Args:
      cluster: all tasks, and which of them is to run here.
      command: the program and its arguments, with the placeholders of `launch`.
      directory: one that all machines see, in which the launchers write what they do, see `members`.
      newest_checkpoint: as for `launch`.
      environ: the environment of the process, to which TF_CONFIG is added.
      stdout: a binary stream for the process's output; by default this one's.
      stderr: one for what it writes to standard error, and for messages.

    Returns:
      the exit code of the run, the same from all launchers: 0 if all tasks did their work, else that of the task that
      failed, 1 if a signal ended it. 128 + N if signal N ended this launcher. The launcher of an evaluator returns the
      evaluator's, if only that has failed.

    Raises:
      ClusterError: launchers differ in their settings, two have the same task, or the directory can't be created.
      MissingTaskError: not enough tasks are there in time, or the directory can't be written to.
    """
    launcher = _Launcher(cluster, command, directory, settings, times, newest_checkpoint, environ, stdout, stderr)
    if launcher.members.has_other(_OTHER_SECONDS):
        raise ClusterError(LAUNCHED_TWICE.format(cluster.task))
    with Signals() as signals, Guard(times.grace_seconds) as guard:
        code = 1  # after an error
        try:
            code = launcher.run(signals, guard)
        finally:
            launcher.members.set(state=LEFT, code=code)
    return code


class _Launcher:
    def __init__(
        self, cluster: Cluster, command: Sequence[str], directory: str, settings: Settings, times: Times,
        newest_checkpoint: Optional[Callable[[], Optional[str]]], environ: Mapping[str, str], stdout: Any, stderr: Any,
    ) -> None:
        self._cluster, self._command, self._environ, self._times = cluster, command, environ, times
        self._tasks = cluster.connected_tasks
        self._is_evaluator = cluster.task_type == EVALUATOR  # in no round, but there is one process in each
        self._restarts, self._evaluator_restarts = settings.restarts, 0
        self._output, self._messages = stdout or sys.stdout.buffer, stderr or sys.stderr.buffer
        self._rounds = Rounds(cluster, settings, newest_checkpoint)
        common = {
            "--cluster": ";".join("{}={}".format(job, ",".join(each)) for job, each in cluster.to_dict().items()),
            "--elastic": str(settings.numbers) if settings.is_elastic else "(not given)",
            "--restarts": str(settings.restarts),
            "--join-seconds": "{:g}".format(settings.join_seconds),
        }
        self.members = Members(directory, cluster.task, common)
        self._printed_error = ""

    def run(self, signals: Signals, guard: Guard) -> int:
        code = 0
        while True:
            round_ = self._next_round(signals)
            if round_ is None:
                assert signals.received is not None
                return 128 + signals.received
            self.members.is_in_run = True
            if round_.code is None:
                self._print("" if round_.number < self.members.own.round else round_.reason)
            else:
                self._print(round_.reason and "the run ends: {}".format(round_.reason))
                # Nobody but its launcher knows whether the evaluator has failed last.
                return round_.code or ((code if code > 0 else int(code < 0)) if self._is_evaluator else 0)
            if self._is_evaluator or self.members.own.launcher in round_.launchers.values():
                code = self._run_process(round_, signals, guard)
                if signals.received is not None:
                    return 128 + signals.received
                self.members.set(state=READY, round=round_.number + 1, code=code)
            else:
                self._print("{} is left out, and taken in again later".format(self._cluster.task))
                self.members.set(round=round_.number + 1, code=None, is_pause=False)

    def _next_round(self, signals: Signals) -> Optional[Round]:
        """Returns the next round when it has been written; None after a signal."""
        number, printed = self.members.own.round, ""
        began_at = busy_at = time.monotonic()  # busy: the processes of tasks that are waited for
        while signals.received is None:
            self.members.write()
            found = self.members.newest_round(number)
            if found is not None:
                return found
            members = self.members.read(self._tasks)
            last = self.members.round_before(number, members)
            error = self.members.error
            if not self.members.unknown:
                if last is not None and self._evaluates_in(last, members, time.monotonic() - began_at):
                    return last
                proposed = self._rounds.next(members, number, last)
                if proposed is not None and self._is_first_of(members, number):
                    error = self.members.propose(proposed)
                    if not error:
                        continue
            now = time.monotonic()
            missing = self._rounds.missing(members, number)
            if any(members[task].is_busy for task in missing if task in members):
                busy_at = now
            waits = "{} waits for {}".format(self._cluster.task, " and ".join(missing) or "the others")
            waits += self._rounds.needed if missing else ""
            waits += "; " + error if error else ""
            if now > busy_at + self._times.start_seconds:
                raise MissingTaskError("{}: not ready after {:g} seconds. Does a launcher of each task run, with the "
                                       "same {}?".format(waits, self._times.start_seconds, self.members.directory))
            if waits != printed and now > busy_at + _QUIET_SECONDS:
                self._print(waits)
                printed = waits
            signals.wait(_READ_SECONDS)
        return None

    def _evaluates_in(self, last: Round, members: Dict[str, Member], seconds: float) -> bool:
        """Returns whether an evaluator is to be started in a round that has begun, so many seconds after its end."""
        if not self._is_evaluator:
            return False
        code, chief = self.members.own.code, members.get(last.chief)
        if code is None:  # the round has begun before this launcher
            return True
        if code in FINAL or self._evaluator_restarts == self._restarts or seconds < _EVALUATOR_SECONDS:
            return False
        if chief is None or chief.state != RUNNING:  # another round follows
            return False
        self._evaluator_restarts += 1
        self._print("starting {} again, {} of {}".format(
            self._cluster.task, self._evaluator_restarts, counted(self._restarts, "restart")
        ))
        return True

    def _is_first_of(self, members: Dict[str, Member], number: int) -> bool:
        """Returns whether this launcher is the one that writes the round: any could, but one is enough."""
        missing = self._rounds.missing(members, number)
        return self._cluster.task == next((task for task in self._tasks if str(task) not in missing), None)

    def _run_process(self, round_: Round, signals: Signals, guard: Guard) -> int:
        """Runs the process of a round; returns its exit code, -N after signal N, 0 if this launcher has ended it."""
        task, jobs = self._in_round(round_)
        if task != self._cluster.task:
            self._print("{} trains as {}".format(self._cluster.task, task))
        words = [filled(word, jobs, task) for word in self._command]
        environment = environment_of(self._environ, jobs, task)
        process = TaskProcess(task, words, environment, self._output, self._messages, threading.Lock())
        guard.started(process.process.pid)
        running = RunningRound(self._cluster.task, round_, self._times.return_seconds, self._times.grace_seconds)
        ending, read_at = None, time.monotonic()
        try:
            self.members.set(state=RUNNING, round=round_.number, code=None, is_pause=False)
            while process.process.poll() is None and ending is None:
                self.members.write()
                if signals.received is not None:
                    ending = Ending("{} received".format(signal.Signals(signals.received).name), signals.received)
                    self.members.set(state=LEAVING)
                elif time.monotonic() > read_at + _READ_SECONDS:
                    read_at = time.monotonic()
                    ending = self._watch(process, running, round_.number)
                else:
                    signals.wait(POLL_SECONDS)
            if ending is not None:
                self._print("{}: ending {}".format(ending.reason, task))
        finally:
            number = signal.SIGTERM if ending is None else ending.number
            end_all([process], 0.0 if number == signal.SIGKILL else self._times.grace_seconds, number)
            guard.ended(process.process.pid)
        code = process.process.returncode
        if ending is None and code and code not in BY_SIGTERM:
            self._print("{} {}".format(task, process.ending()))
        return 0 if ending is not None else code

    def _watch(self, process: TaskProcess, running: RunningRound, number: int) -> Optional[Ending]:
        """Reads what the others write while the process runs in the round of a number; returns why it has to end."""
        members = self.members.read(self._tasks)
        self._rounds.see(members, number + 1)
        if self.members.error != self._printed_error:
            self._printed_error = self.members.error
            self._print(self._printed_error and "{}; the other launchers take this one for lost after {:g} "
                        "seconds".format(self._printed_error, SILENT_SECONDS))
        tasks = running.to_take_in(members)
        if tasks and self.members.own.state == RUNNING:
            self._print("{} can train again: ending all with a checkpoint".format(" and ".join(tasks)))
            self.members.set(state=PAUSING, is_pause=True)
            process.send(signal.SIGTERM)
        return running.ending(members, self.members.newest_round(number + 1))

    def _in_round(self, round_: Round) -> Tuple[Task, Dict[str, List[str]]]:
        """Returns the task that this one is in a round, and the addresses of each job there."""
        tasks = [task for task in self._tasks if str(task) in round_.launchers]
        jobs: Dict[str, List[str]] = {}
        found = self._cluster.task
        for task in tasks:
            if task == self._cluster.task:
                found = Task(task.type, len(jobs.get(task.type, ())))
            jobs.setdefault(task.type, []).append(self._cluster.address_of(task))
        if self._is_evaluator and self._cluster.address:
            jobs[EVALUATOR] = [self._cluster.address]
        return found, jobs

    def _print(self, text: str) -> None:
        if text:
            print_message(self._messages, text)
