"""The files by which the launchers of a run's tasks, one per machine, agree: in a directory that all machines see.

    launch/worker-0.json       what the launcher of worker:0 does at present; it writes it again each second
    launch/round-000003.json   which tasks the third start in this directory has; one launcher writes it, once

A launcher that has ended is seen by its file: it does not change any more. Clocks of machines are not compared.
"""
import errno
import json
import os
import re
import time
import uuid
from typing import Any, Dict, List, NamedTuple, Optional

from legacy_towers.cluster.value import PARAMETER_SERVER, Task
from legacy_towers.errors import ClusterError, MissingTaskError

DIRECTORY = "launch"
# A launcher whose file has not changed for this long has ended. Files on a network file system can be seen late.
SILENT_SECONDS = 15.0
_WRITE_SECONDS = 1.0
# A launcher that has not read for this long was stopped, or its file system was; it reads every half second.
_STOPPED_SECONDS = 5.0
# Errors that waiting does not help against, unlike a full disk or a server that is not reachable for a while.
_LASTING = (errno.EPERM, errno.EACCES, errno.EROFS, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
LAUNCHED_TWICE = "{} is launched a second time: one launcher for each task is needed"
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
      settings: options that all launchers of a run must have in common, with their values.
      beat: how often it has written.
      round: the number of the round that it is in or, if it is ready, waits for.
      state: what it does.
      code: while it is ready, the exit code of its process in the round before, -N after signal N; None if it had none.
      is_pause: whether that process ended since this launcher had asked all for it.
    """

    task: str
    launcher: str
    settings: Dict[str, str]
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

    @property
    def chief(self) -> str:
        """The task of the round that is the chief; only of a round that is not the end of the run."""
        return next(iter(self.launchers))


class _Seen(NamedTuple):
    """What this launcher has read of another one.

    Attributes:
      member: the content of its file.
      at: when that changed or, while it has not, when it was read first; in seconds of `time.monotonic`.
      has_changed: whether it has since then; if not, its launcher may have ended before this one began to read.
    """

    member: Member
    at: float
    has_changed: bool


class Members:
    """The files of a directory: writes that of this launcher, and reads those of the others.

    Attributes:
      directory: the folder that has the files.
      own: what this launcher writes.
      error: why it could not be written the last time, "" if it could.
      is_in_run: whether this launcher has read a round; one with other settings that comes later has to end then.
      unknown: the tasks whose launchers may still run: their files were read a short time ago and have not changed yet.
    """

    def __init__(self, directory: str, task: Task, settings: Dict[str, str]) -> None:
        """
        Args:
          directory: one that all machines see; it is created.
          settings: options and their values, which the launchers must have in common; others are an error of both.

        Raises:
          ClusterError: the directory can't be created or read.
        """
        # Messages have the whole path: a relative one can be the same, and be of different folders.
        self.directory = os.path.join(os.path.abspath(directory), DIRECTORY)
        try:
            os.makedirs(self.directory, exist_ok=True)
            number = self.newest_number()
        except OSError as error:
            raise ClusterError("{} can't be created or read: {}".format(self.directory, error.strerror)) from None
        self.error = ""
        self.is_in_run = False
        self.unknown: List[str] = []
        self._seen: Dict[str, _Seen] = {}
        self._tried_at = self._read_at = 0.0
        self._is_written = False
        self.own = Member(str(task), uuid.uuid4().hex, settings, round=number + 1)

    def has_other(self, seconds: float) -> bool:
        """Returns whether another launcher runs for the same task: whether it writes the file within `seconds`."""
        path = os.path.join(self.directory, _name_of(self.own.task))
        before = _read(path)
        until = time.monotonic() + (0.0 if before is None or before["state"] == LEFT else seconds)
        while time.monotonic() < until:
            time.sleep(0.2)
            if (_read(path) or before) != before:
                return True
        return False

    def set(self, **fields: Any) -> None:
        """Changes fields of what this launcher writes, and writes it."""
        self.own = self.own._replace(**fields)
        self._tried_at = 0.0
        self.write()

    def write(self) -> None:
        """Writes the file of this launcher, where the last time was a second ago; see `error`.

        Raises:
          ClusterError: another launcher runs for the same task.
        """
        if time.monotonic() < self._tried_at + _WRITE_SECONDS:
            return
        self._tried_at = time.monotonic()
        path = os.path.join(self.directory, _name_of(self.own.task))
        before = _read(path)
        if self._is_written and before is not None and before["launcher"] != self.own.launcher:
            raise ClusterError(LAUNCHED_TWICE.format(self.own.task))
        self.own = self.own._replace(beat=self.own.beat + 1)
        try:
            _write_new(path + "." + self.own.launcher, self.own._asdict())
            os.replace(path + "." + self.own.launcher, path)
        except OSError as error:
            self.error = "{} can't be written: {}".format(path, error.strerror)
            return
        self._is_written, self.error = True, ""

    def read(self, tasks: List[Task]) -> Dict[str, Member]:
        """Returns what the launchers of the tasks write: of those that run, and of those that have left.

        A file that can't be read at the moment counts as unchanged. A launcher that was stopped, or can't write, does
        not know whether the others were: they are unknown until they write again.

        Raises:
          ClusterError: one was launched with other settings than this one, which is not in a run yet.
        """
        now, found = time.monotonic(), {self.own.task: self.own}
        if self.error or now > self._read_at + _STOPPED_SECONDS:
            self._seen = {task: seen._replace(at=now, has_changed=False) for task, seen in self._seen.items()}
        self.unknown, self._read_at = [], now
        for task in map(str, tasks):
            seen = None if task == self.own.task else self._see(task, now)
            if seen is None:
                continue
            # One that was refused has left at once: those that it found end too, and don't wait for it.
            if seen.has_changed and seen.member.settings != self.own.settings and not self.is_in_run:
                raise ClusterError(self._difference(seen.member))
            if seen.member.state == LEFT:
                found[task] = seen.member
            elif now > seen.at + SILENT_SECONDS:
                continue
            elif not seen.has_changed:
                self.unknown.append(task)
            elif seen.member.settings == self.own.settings:
                found[task] = seen.member
        return found

    def _difference(self, other: Member) -> str:
        """Returns a sentence on the settings of another launcher that are not those of this one."""
        differ = [name for name, value in self.own.settings.items() if value != other.settings.get(name)]
        others, own = [
            " and ".join("{} {}".format(name, each.settings.get(name)) for name in differ) for each in (other, self.own)
        ]
        return "{} was launched with {}, and this {} with {}: start all launchers with the same options".format(
            other.task, others, self.own.task, own
        )

    def _see(self, task: str, now: float) -> Optional[_Seen]:
        """Reads the file of a task; None if there has never been one."""
        content, before = _read(os.path.join(self.directory, _name_of(task))), self._seen.get(task)
        if content is None:
            return before
        member = Member(**content)
        if before is None or member != before.member:
            self._seen[task] = _Seen(member, now, before is not None)
        return self._seen[task]

    def newest_number(self) -> int:
        """Returns the number of the newest round; 0 if there is none."""
        matches = [_ROUND_NAME.match(name) for name in os.listdir(self.directory)]
        return max([int(match.group(1)) for match in matches if match is not None], default=0)

    def round(self, number: int) -> Optional[Round]:
        """Returns a round; None if it has not been written."""
        content = _read(os.path.join(self.directory, _ROUND.format(number)))
        return None if content is None else Round(**content)

    def newest_round(self, number: int) -> Optional[Round]:
        """Returns the newest round from that of a number on; None if there is none."""
        found, following = None, self.round(number)
        while following is not None:
            found, following = following, self.round(following.number + 1)
        return found

    def round_before(self, number: int, members: Dict[str, Member]) -> Optional[Round]:
        """Returns the round before that of a number; None where it has ended the run, or is of an earlier run.

        Args:
          members: what the launchers write; it is of their run if one of them is in it, and has not left.
        """
        found = self.round(number - 1)
        if found is None or found.code is not None:
            return None
        running = [member.launcher for member in members.values() if member.state != LEFT]
        return found if any(launcher in running for launcher in found.launchers.values()) else None

    def propose(self, proposed: Round) -> str:
        """Writes a round, unless another launcher has written the one of its number before.

        Returns:
          why it can't be written at the moment, such as a full disk; "" if it is.

        Raises:
          MissingTaskError: the file system has no hard links, or does not let this launcher write.
        """
        path = os.path.join(self.directory, _ROUND.format(proposed.number))
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
            text = "{} can't be written: {}".format(path, error.strerror)
            if error.errno not in _LASTING:
                return text
            raise MissingTaskError("{}. The launchers of the tasks need a directory with hard links that all machines "
                                   "see".format(text)) from None
        return ""


def is_server(task: str) -> bool:
    """Returns whether a task is a parameter server, by its name, such as "ps:0"."""
    return task.startswith(PARAMETER_SERVER)


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
