"""Finds the tasks of a running cluster that no longer answer: killed, suspended or unreachable."""
import atexit
import math
import threading
import time
from typing import List, NamedTuple, Optional, Sequence

from legacy_towers.cluster.published import Reader
from legacy_towers.cluster.records import PRESENT, STARTED, Record, parse_record
from legacy_towers.cluster.value import Cluster, Task

# A task that does not answer is reported after the first time, and missing after the second: on a machine that is busy,
# answers can take seconds.
REPORT_SECONDS = 8.0
MISSING_SECONDS = 25.0
# A task at whose address nothing listens is missing after this.
_REFUSED_SECONDS = 3.0
# A process that was itself stopped for a while has one failed call, and is not to blame the others for it. A call to a
# machine that is out of reach takes 4 seconds: with 3 calls, the first report came after 12 to 14.
_FAILED_CALLS, _REPORTED_CALLS = 3, 2
_SECONDS_BETWEEN_CALLS = 1.0
_ENDING_SECONDS = 6.0


class Silent(NamedTuple):
    """A task that does not answer.

    Attributes:
      task: which task.
      reason: what is known of it, such as "has ended: nothing listens at node1:2222".
      is_missing: whether it is not to be waited for any more.
    """

    task: Task
    reason: str
    is_missing: bool

    def __str__(self) -> str:
        return "{}, which {}".format(self.task, self.reason)


class Watch:
    """Asks the server of each other task every second, in threads, whether it still answers.

    A server answers by threads of TensorFlow, so that a task that computes, saves or evaluates for long is not missing.
    """

    def __init__(
        self, cluster: Cluster, seconds: float = MISSING_SECONDS, tasks: Optional[Sequence[Task]] = None
    ) -> None:
        """
        Args:
          cluster: the tasks, all of which have started, and which of them this process is.
          seconds: how long a task may not answer.
          tasks: which of them to ask; None: all others.
        """
        self._cluster = cluster
        self._tasks = [each for each in cluster.connected_tasks if each != cluster.task] if tasks is None else tasks
        self._seconds = seconds
        self._watched: List[_Watched] = []

    def start(self) -> None:
        """Begins to ask; each task counts as having answered now."""
        self.stop()
        # A thread that is inside TensorFlow when the interpreter ends would abort the process.
        atexit.register(self.stop)
        self._watched = [_Watched(task, self._cluster.address_of(task)) for task in self._tasks]

    def stop(self) -> None:
        """Ends the threads, each after the call that it is in, and waits a little for that."""
        self.end()
        for each in self._watched:
            each.reader.wait_until_over(_ENDING_SECONDS)
        self._watched = []
        atexit.unregister(self.stop)

    def end(self) -> None:
        """Ends the threads, each after the call that it is in. The end of the process waits a little for that."""
        for each in self._watched:
            each.reader.end()

    @property
    def readers(self) -> List[Reader]:
        """What asks each other task."""
        return [each.reader for each in self._watched]

    def silent(self) -> List[Silent]:
        """Returns the tasks that have not answered for a while, or were started again, or have ended before their work.

        Those that ended first are first: others may have ended therefore. A worker that has finished, which parameter
        servers publish, may end.
        """
        found = [each.silent(self._seconds) for each in sorted(self._watched, key=lambda each: each.refused_since())]
        finished = {name for each in self._watched for name in each.finished}
        return [each for each in found if each is not None and str(each.task) not in finished]


class _Watched:
    """One other task.

    Attributes:
      finished: the names of the workers that have finished, by what it publishes.
    """

    def __init__(self, task: Task, address: str) -> None:
        self.reader = Reader(task, address, threading.Condition(), _SECONDS_BETWEEN_CALLS)
        self._started = time.monotonic()
        self._text: Optional[bytes] = None
        self._run: Optional[str] = None
        self._is_another = False
        self.finished: List[str] = []
        self.reader.start()

    def refused_since(self) -> float:
        """Returns since when nothing listens at its address, by time.monotonic(); infinity if something does."""
        since = self.reader.refused_since
        return math.inf if since is None else since

    def silent(self, seconds: float) -> Optional[Silent]:
        task, address, now = self.reader.task, self.reader.address, time.monotonic()
        text, error = self.reader.read()
        if text is not None and text != self._text:
            self._text = text
            self._take(parse_record(text))
        if self._is_another:
            return Silent(task, "was started again at {}".format(address), True)
        refused = self.reader.refused_since
        if refused is not None and now - refused >= _REFUSED_SECONDS:
            return Silent(task, "has ended: nothing listens at {}".format(address), True)
        silent = now - (self.reader.answered_at or self._started)
        if self.reader.failed_calls < _REPORTED_CALLS or silent < min(seconds, REPORT_SECONDS):
            return None
        is_missing = silent >= seconds and self.reader.failed_calls >= _FAILED_CALLS
        return Silent(task, "has not answered at {} for {:.0f} seconds ({})".format(address, silent, error), is_missing)

    def _take(self, record: Optional[Record]) -> None:
        if record is None:  # of another version, or of another program
            self._is_another = self._run is not None
            return
        # When this task began to watch, all had read each other's records.
        is_another = record.state == PRESENT or self._run is not None and record.run != self._run
        self._is_another = self._is_another or is_another
        self.finished = record.finished.split()
        if record.state == STARTED:
            self._run = record.run
