"""What a launcher does about the other launchers while the process of its task runs."""
import signal
import time
from typing import Dict, List, Mapping, NamedTuple, Optional

from legacy_towers.cluster.launching.members import LEFT, READY, Member, Round, is_server
from legacy_towers.cluster.value import EVALUATOR, PARAMETER_SERVER, Task


class Ending(NamedTuple):
    """Why a launcher ends the process of its task.

    Attributes:
      reason: what is printed about it.
      number: the signal that the process gets.
    """

    reason: str
    number: int = signal.SIGTERM


class RunningRound:
    """A round in which the process of a task runs; its methods return what the launcher is to do."""

    def __init__(self, task: Task, round_: Round, return_seconds: float, grace_seconds: float) -> None:
        """
        Args:
          task: that of the launcher.
          return_seconds: how long the tasks train before others are taken in.
          grace_seconds: how long a parameter server has to end by itself when the tasks that train have ended.
        """
        self._task, self._round = task, round_
        self._return_seconds, self._grace_seconds = return_seconds, grace_seconds
        self._started_at = time.monotonic()
        self._trained_until: Optional[float] = None

    def to_take_in(self, members: Mapping[str, Member]) -> List[str]:
        """Returns the tasks for which the chief's process has to end with a checkpoint; () on the other launchers.

        Args:
          members: task -> what its launcher writes.
        """
        is_chief = str(self._task) == self._round.chief
        if not is_chief or time.monotonic() < self._started_at + self._return_seconds:
            return []
        inside = self._round.launchers.values()
        return [task for task, each in members.items() if each.state == READY and each.launcher not in inside]

    def ending(self, members: Dict[str, Member], newer: Optional[Round]) -> Optional[Ending]:
        """Returns why the process has to end; None while it has not.

        Args:
          members: task -> what its launcher writes.
          newer: the newest round after this one; None if there is none.
        """
        if self._task.type == EVALUATOR:
            # At the end of the run it has the last checkpoint to evaluate.
            return Ending("the others start again") if newer is not None and newer.code is None else None
        if newer is not None:
            # They have taken this launcher for lost, and may have trained since. SIGKILL: after SIGTERM, a chief would
            # save a checkpoint over theirs.
            return Ending("the others have gone on without it", signal.SIGKILL)
        if self._task.type != PARAMETER_SERVER or not self._have_trained(members):
            self._trained_until = None
            return None
        if self._trained_until is None:
            self._trained_until = time.monotonic()
        is_due = time.monotonic() >= self._trained_until + self._grace_seconds
        return Ending("all other tasks have ended") if is_due else None

    def _have_trained(self, members: Dict[str, Member]) -> bool:
        """Returns whether the processes of all tasks that train have ended, by what at least one launcher writes."""
        ended = []
        for task, launcher in self._round.launchers.items():
            if is_server(task) or task not in members:  # nothing is known of one that is lost
                continue
            each = members[task]
            is_ready = each.state == READY and each.round > self._round.number
            ended.append(each.launcher != launcher or each.state == LEFT or is_ready)
        return bool(ended) and all(ended)
