"""Reports the tasks that still run after others have ended."""
import time
from typing import Optional, Sequence

from legacy_towers.cluster.value import Task
from legacy_towers.text.names import listed

# Tasks of one job usually end within this time of each other.
_SECONDS = 30.0
_ONE_RUNS = (
    "{} ended {:g} seconds ago with exit code 0, and {} still runs: if it waits for a task that has ended, or serves "
    "without end, Ctrl-C ends it"
)
_SEVERAL_RUN = (
    "{} ended {:g} seconds ago with exit code 0, and {} still run: if they wait for a task that has ended, or serve "
    "without end, Ctrl-C ends them"
)


class Remaining:
    """Describes which tasks still run, once, some time after others have ended with exit code 0.

    A worker can wait without end for one that has ended, such as for its gradients, or serve without end: TensorFlow
    itself prints nothing then.
    """

    def __init__(self) -> None:
        self._ended = 0
        self._since = time.monotonic()

    def described(self, ended: Sequence[Task], running: Sequence[Task]) -> Optional[str]:
        """Returns a sentence if none has ended for a while; None if there is nothing new to report.

        Args:
          ended: the tasks that have ended with exit code 0.
          running: the others, without the parameter servers.
        """
        if len(ended) != self._ended:
            self._ended, self._since = len(ended), time.monotonic()
        if not ended or not running or time.monotonic() - self._since < _SECONDS:
            return None
        self._since = float("inf")  # until another ends
        sentence = _ONE_RUNS if len(running) == 1 else _SEVERAL_RUN
        return sentence.format(_names(ended), _SECONDS, _names(running))


def _names(tasks: Sequence[Task]) -> str:
    return listed(map(str, tasks))
