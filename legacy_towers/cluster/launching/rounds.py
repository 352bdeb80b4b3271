"""Which tasks a run goes on with: the decision that one launcher takes for all.

    round 1   worker:0 worker:1 worker:2     the machine of worker:1 is lost
    round 2   worker:0 worker:2              it is there again: all end with a checkpoint
    round 3   worker:0 worker:1 worker:2     all have done their work
    round 4   the run has ended
"""
import signal
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Union

from legacy_towers.cluster.launching.elastic import Range
from legacy_towers.cluster.launching.members import LEFT, READY, Member, Round, is_server
from legacy_towers.cluster.launching.processes import TERMINATED, described_end
from legacy_towers.cluster.value import Cluster
from legacy_towers.text.names import counted

# Exit codes of a process that Ctrl-C or SIGTERM has asked to end.
_ASKED_TO_END = (128 + signal.SIGINT, TERMINATED)


class Settings(NamedTuple):
    """What the launchers of a run have in common.

    Attributes:
      numbers: how many tasks can train; the largest number is that of the cluster.
      restarts: how often all start again after a failure.
      join_seconds: how long the tasks that are there wait for others, once they are enough.
    """

    numbers: Range
    restarts: int
    join_seconds: float

    @property
    def is_elastic(self) -> bool:
        """Whether fewer tasks than all can train."""
        return self.numbers.least < self.numbers.most


class _Start(NamedTuple):
    """A round that is to come: with the tasks that are ready, but for `without`."""

    restarts: int = 0
    failure: Optional[List[Any]] = None
    reason: str = ""
    without: Optional[str] = None


class Rounds:
    """Decides about the next round, from what the launchers write; each launcher asks its own again and again."""

    def __init__(
        self, cluster: Cluster, settings: Settings, newest_checkpoint: Optional[Callable[[], Optional[str]]],
    ) -> None:
        """
        Args:
          cluster: all tasks that can be in a round.
          newest_checkpoint: returns what the program resumes from, None if there is nothing; None if it can't be known.
        """
        self._cluster = cluster
        self._settings = settings
        self._newest_checkpoint = newest_checkpoint
        self._number = 0
        self._failed: List[str] = []  # the tasks whose processes have failed in the round before, the first one first
        self._ready: List[str] = []
        self._ready_since = 0.0

    def next(self, members: Dict[str, Member], number: int, last: Optional[Round]) -> Optional[Round]:
        """Returns the round of a number; None while it can't be decided.

        Args:
          members: task -> what its launcher writes: of those that run, and of those that have left.
          number: that of the round before, and 1.
          last: the round before; None before the first one of these launchers.
        """
        ready = self.see(members, number)
        if any(member.is_busy or member.state == READY and member.round < number for member in members.values()):
            return None  # the process of a task runs, or its launcher has not read the round before yet
        found = _Start() if last is None else self._after(last, members, ready, number)
        if isinstance(found, Round):
            return found
        tasks = [task for task in ready if task != found.without]
        if not self._is_enough(tasks, found.without is not None):
            return None
        workers = sum(not is_server(task) for task in tasks)
        reason = "{}{}training with {}".format(found.reason, found.reason and ": ", counted(workers, "worker"))
        launchers = {task: members[task].launcher for task in tasks}
        return Round(number, launchers, reason, found.restarts, found.failure)

    def see(self, members: Dict[str, Member], number: int) -> List[str]:
        """Notes which tasks have failed, and returns those that are ready for the round of a number.

        It is called while the process of the launcher runs too: so the task that fails first is known.
        """
        if number != self._number:
            self._number, self._failed, self._ready = number, [], []
        ready = [str(task) for task in self._cluster.connected_tasks if _is_ready(members.get(str(task)), number)]
        self._failed += [task for task in ready if members[task].code and task not in self._failed]
        return ready

    def missing(self, members: Dict[str, Member], number: int) -> List[str]:
        """Returns the tasks that are not ready for the round of a number."""
        return [
            str(task) for task in self._cluster.connected_tasks if not _is_ready(members.get(str(task)), number)
        ]

    @property
    def needed(self) -> str:
        """How many tasks are enough, as the end of a sentence; "" if all are needed."""
        if not self._settings.is_elastic:
            return ""
        return " (--elastic: {} in all can train)".format(counted(self._settings.numbers.least, "worker"))

    def _is_enough(self, tasks: List[str], is_complete: bool) -> bool:
        """Returns whether a round can begin with these tasks, now."""
        if tasks != self._ready:
            self._ready, self._ready_since = tasks, time.monotonic()
        servers = [task for task in tasks if is_server(task)]
        workers = len(tasks) - len(servers)
        if workers < self._settings.numbers.least or len(servers) < self._cluster.parameter_servers:
            return False
        if is_complete or workers == self._settings.numbers.most:
            return True
        return time.monotonic() >= self._ready_since + self._settings.join_seconds

    def _after(self, last: Round, members: Dict[str, Member], ready: List[str], number: int) -> Union[Round, _Start]:
        """Returns what follows a round, in which no process runs any more."""
        there = {task: members[task] for task, launcher in last.launchers.items()
                 if task in members and members[task].launcher == launcher}
        codes = {task: member.code or 0 for task, member in there.items() if task in ready}
        left = {task: member.code or TERMINATED for task, member in there.items() if member.state == LEFT}
        gone = [task for task in last.launchers if task not in codes]
        # Parameter servers have nothing to do when all others have ended.
        if last.chief in codes and not any(code for task, code in codes.items() if not is_server(task)):
            return Round(number, {}, code=0)
        if any(there[task].is_pause for task in codes):
            back = [task for task in ready if members[task].launcher not in last.launchers.values()]
            return _Start(last.restarts, reason="with {} again".format(" and ".join(back)) if back else "")
        for task, code in codes.items():
            if code == 2 or code in _ASKED_TO_END and not gone:
                return Round(number, {}, "{} {}".format(task, described_end(code)), code=code)
        if left and not self._settings.is_elastic:
            task, code = next(iter(left.items()))
            return Round(number, {}, "the launcher of {} {}".format(task, described_end(code)), code=code)
        if gone and self._settings.is_elastic:
            reason = "{} {} gone".format(" and ".join(gone), "is" if len(gone) == 1 else "are")
            return _Start(last.restarts, reason=reason)
        return self._after_failure(last, codes, gone)

    def _after_failure(self, last: Round, codes: Dict[str, int], gone: List[str]) -> Union[Round, _Start]:
        # One that a signal has ended is the cause: the others have noticed it.
        first = ([task for task in self._failed if codes.get(task, 0) < 0] + gone + self._failed)[0]
        code = codes.get(first)
        ended = "{} {}".format(first, "is lost" if code is None else described_end(code))
        failure = None
        if self._newest_checkpoint is not None and not gone and min(codes.values()) >= 0:
            failure = [self._newest_checkpoint(), [[task, codes[task]] for task in sorted(codes)]]
        number, exit_code = last.number + 1, code if code is not None and code > 0 else 1
        if failure is not None and failure == last.failure:
            ended += " again, and no checkpoint has been saved since the last start"
            return Round(number, {}, ended, code=exit_code)
        if last.restarts < self._settings.restarts:
            restarts = last.restarts + 1
            reason = "{}; {} of {}".format(ended, restarts, counted(self._settings.restarts, "restart"))
            return _Start(restarts, failure, reason)
        if self._settings.is_elastic and not is_server(first):
            workers = sum(not is_server(task) for task in codes)
            if workers > self._settings.numbers.least:
                return _Start(last.restarts, failure, ended, without=first)
        used = ", after {}".format(counted(last.restarts, "restart")) if last.restarts else ""
        return Round(number, {}, ended + used, code=exit_code)


def _is_ready(member: Optional[Member], number: int) -> bool:
    return member is not None and member.state == READY and member.round == number
