"""What the launchers of a run's tasks, one per machine, tell each other: by files in a directory that all of them see.

    launch/worker-0.json       what the launcher of worker:0 does at present; it writes it again each second
    launch/round-000003.json   which tasks the third start of the run has; one launcher writes it, once

A launcher that has ended is seen by its file: it does not change any more. Clocks of machines are not compared.
"""
import json
import os
import re
import time
import uuid
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from legacy_towers.cluster.value import Task
from legacy_towers.errors import ClusterError, MissingTaskError

DIRECTORY = "launch"
# A launcher whose file has not changed for this long has ended. Files on a network file system can be seen late.
SILENT_SECONDS = 15.0
_WRITE_SECONDS = 1.0
SECOND = "{} is launched a second time: one launcher for each task is needed"
_ROUND, _ROUND_NAME = "round-{:06d}.json", re.compile(r"round-(\d+)\.json$")

# What a launcher does:
READY = "ready"  # waits for the next round
RUNNING = "running"  # runs the process of its task
PAUSING = "pausing"  # the same, and has asked all tasks to end with a checkpoint, to take in one that waits
LEAVING = "leaving"  # the same, and was asked to end by a signal
LEFT = "left"  # has ended, after such a signal or an error


class Member(NamedTuple):
    """What a launcher writes about itself.

    Attributes:
      task: its task, such as "worker:1".
      launcher: an id that it has drawn at its start.
      settings: what all launchers of a run must have in common.
      beat: how often it has written.
      round: the number of the round that it is in or, if it is ready, waits for.
      state: what it does.
      code: while it is ready, the exit code of its process in the round before, -N after signal N; None if it had none.
      is_pause: whether that process ended since this launcher had asked all for it.
    """

    task: str
    launcher: str
    settings: str
    beat: int = 0
    round: int = 1
    state: str = READY
    code: Optional[int] = None
    is_pause: bool = False

    @property
    def is_busy(self) -> bool:
        """Whether the process of the task runs."""
        return self.state in (RUNNING, PAUSING, LEAVING)


class Round(NamedTuple):
    """A start of the run, or its end; once written, it is not changed.

    Attributes:
      number: from 1.
      launchers: the tasks that are in it, and the ids of their launchers; none at the end of the run.
      reason: what is printed about it; "" for nothing.
      restarts: how many starts of the run count as restarts so far.
      failure: how the round before has failed, to recognise the same failure; None if it did not, or a signal ended it.
      code: the exit code of the run, at its end; else None.
    """

    number: int
    launchers: Dict[str, str]
    reason: str = ""
    restarts: int = 0
    failure: Optional[List[Any]] = None
    code: Optional[int] = None


class Members:
    """The files of a directory: writes that of this launcher, and reads those of the others.

    Attributes:
      own: what this launcher writes.
    """

    def __init__(self, directory: str, task: Task, settings: str) -> None:
        """
        Args:
          directory: one that all machines see; it is created.
          settings: what the launchers must have in common; another text is an error of both.

        Raises:
          ClusterError: the directory can't be created.
        """
        self._directory = os.path.join(directory, DIRECTORY)
        try:
            os.makedirs(self._directory, exist_ok=True)
        except OSError as error:
            raise ClusterError("{} can't be created: {}".format(self._directory, error.strerror)) from None
        self._seen: Dict[str, Tuple[Member, Optional[float]]] = {}
        self._written_at = 0.0
        self.own = Member(str(task), uuid.uuid4().hex, settings, round=self.newest_number() + 1)

    def has_other(self, seconds: float) -> bool:
        """Returns whether another launcher runs for the same task: whether it writes the file within `seconds`."""
        path = os.path.join(self._directory, _name_of(self.own.task))
        before = _read(path)
        until = time.monotonic() + (0.0 if before is None else seconds)
        while time.monotonic() < until:
            time.sleep(0.2)
            if (_read(path) or before) != before:
                return True
        return False

    def set(self, **fields: Any) -> None:
        """Changes fields of what this launcher writes, and writes it."""
        self.own = self.own._replace(**fields)
        self._written_at = 0.0
        self.write()

    def write(self) -> Optional[str]:
        """Writes the file of this launcher, where the last time was a second ago; returns the error, None without one.

        Raises:
          ClusterError: another launcher runs for the same task.
        """
        if time.monotonic() < self._written_at + _WRITE_SECONDS:
            return None
        path = os.path.join(self._directory, _name_of(self.own.task))
        before = _read(path)
        if self.own.beat and before is not None and before["launcher"] != self.own.launcher:
            raise ClusterError(SECOND.format(self.own.task))
        self.own = self.own._replace(beat=self.own.beat + 1)
        try:
            _write_new(path + "." + self.own.launcher, self.own._asdict())
            os.replace(path + "." + self.own.launcher, path)
        except OSError as error:
            return "{} can't be written: {}".format(path, error.strerror)
        self._written_at = time.monotonic()
        return None

    def read(self, tasks: List[Task]) -> Dict[str, Member]:
        """Returns what the launchers of the tasks write: of those that run, and of those that have left.

        Raises:
          ClusterError: one was launched with other settings than this one, whose process does not run.
        """
        now, found = time.monotonic(), {self.own.task: self.own}
        for task in map(str, tasks):
            if task == self.own.task:
                continue
            content = _read(os.path.join(self._directory, _name_of(task)))
            if content is None:
                continue
            member = Member(**content)
            before, changed_at = self._seen.get(task, (None, None))
            if before is not None and before[:4] != member[:4]:
                changed_at = now
            self._seen[task] = member, changed_at
            if member.state == LEFT:
                found[task] = member
                continue
            if changed_at is None or now > changed_at + SILENT_SECONDS:
                continue
            if member.settings != self.own.settings and self.own.is_busy:
                continue  # the other one ends
            if member.settings != self.own.settings:
                raise ClusterError("{} was launched with {}, and this {} with {}".format(
                    task, member.settings, self.own.task, self.own.settings
                ))
            found[task] = member
        return found

    def newest_number(self) -> int:
        """Returns the number of the newest round; 0 if there is none."""
        matches = [_ROUND_NAME.match(name) for name in os.listdir(self._directory)]
        return max([int(match.group(1)) for match in matches if match is not None], default=0)

    def round(self, number: int) -> Optional[Round]:
        """Returns a round; None if it has not been written."""
        content = _read(os.path.join(self._directory, _ROUND.format(number)))
        return None if content is None else Round(**content)

    def propose(self, proposed: Round) -> None:
        """Writes a round, unless another launcher has written the one of its number before.

        Raises:
          MissingTaskError: it can't be written.
        """
        path = os.path.join(self._directory, _ROUND.format(proposed.number))
        unfinished = path + "." + self.own.launcher
        try:
            _write_new(unfinished, proposed._asdict())
            try:
                os.link(unfinished, path)  # fails if the file exists, on network file systems too
            finally:
                os.remove(unfinished)
        except FileExistsError:
            pass
        except OSError as error:
            raise MissingTaskError("{} can't be written: {}. The launchers of the tasks need a directory with hard "
                                   "links that all machines see".format(path, error.strerror)) from None


def _name_of(task: str) -> str:
    return task.replace(":", "-") + ".json"


def _write_new(path: str, content: Any) -> None:
    with open(path, "w") as file:
        json.dump(dict(content), file)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())


def _read(path: str) -> Optional[Dict[str, Any]]:
    """Returns the content of a file; None where it does not exist, or can't be read at the moment."""
    try:
        with open(path) as file:
            content: Dict[str, Any] = json.load(file)
    except (OSError, ValueError):
        return None
    return content
