"""`--timeout-steps N`: a script that has no step limit ends after N session runs.

What the script runs counts, training and evaluation alike. Not counted are runs that only initialize, that only fill
or close a queue, and those that TensorFlow makes for itself: to restore, save, write summaries, look after a session.
"""
import threading
from typing import Any, Dict, Optional, Set

from legacy_towers.compat import tf

# Modules of TensorFlow whose own runs are no steps of the script. MonitoredSession and Tensor.eval run what the script
# gives them.
_BESIDE_THE_STEPS = (
    "python.training.saver",
    "python.training.session_manager",
    "python.training.supervisor",
    "python.training.queue_runner_impl",
    "python.training.basic_session_run_hooks",
    "python.training.sync_replicas_optimizer",
)
# Kinds of operations that begin or end something, fetched alone.
_BEGIN_OR_END = ("InitializeTable", "LookupTableImport", "MakeIterator", "QueueEnqueue", "QueueClose", "SaveV2")

# Under this key a MonitoredSession fetches what it was asked for, beside what its hooks want.
MONITORED = "caller"


class Steps:
    """Counts the session runs of a script and ends it before run `limit` + 1, so that the last one is still told of."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.done = 0
        self.is_over = False
        # What was raised to end a MonitoredSession; it is at home in no other hands.
        self.ending: Optional[BaseException] = None
        self._lock = threading.Lock()

    def of_session(self, machine: Any, is_monitored: bool) -> "_OfSession":
        return _OfSession(self, machine, is_monitored)

    def take(self) -> bool:
        """Counts a run; returns False if there is none left."""
        with self._lock:
            if self.done >= self.limit:
                return False
            self.done += 1
            return True


class _OfSession:
    """The count of one session; see `before`."""

    def __init__(self, steps: Steps, machine: Any, is_monitored: bool) -> None:
        self._steps = steps
        self._machine = machine
        self._is_monitored = is_monitored
        self._no_steps: Dict[Any, bool] = {}

    def before(self, session: Any, fetches: Any, caller: str) -> bool:
        """Counts the run of `fetches` that the module `caller` is about to make, or ends the script.

        Returns whether it is one that counts.

        Raises:
          OutOfRangeError: in a MonitoredSession, which takes it for the end of the data: it stops its threads, saves
            and closes.
          SystemExit: elsewhere, with code 0; `except Exception` lets it pass, `finally` sees it.
        """
        if not self._is_step(session, fetches, caller):
            return False
        if self._steps.take():
            return True
        steps = self._steps
        if not steps.is_over:
            steps.is_over = True
            by = "--timeout-steps" if self._machine.watch is None else "--warm-up and --steps"
            self._machine.say("ended after {} session run{} ({})".format(
                steps.limit, "" if steps.limit == 1 else "s", by
            ))
        if self._is_monitored and steps.ending is None:
            steps.ending = tf.errors.OutOfRangeError(None, None, "legacy-towers: --timeout-steps is reached")
            raise steps.ending
        # No class below it: a thread of the script's that ends by one shows a traceback.
        raise SystemExit(0)

    def _is_step(self, session: Any, fetches: Any, caller: str) -> bool:
        if caller.endswith(_BESIDE_THE_STEPS):
            return False
        if isinstance(fetches, dict) and MONITORED in fetches:
            fetches = fetches[MONITORED]
        several = isinstance(fetches, (list, tuple))
        return not all(self._is_no_step(session, each) for each in (fetches if several else (fetches,)))

    def _is_no_step(self, session: Any, fetch: Any) -> bool:
        if not isinstance(fetch, tf.Operation):
            return False
        known = self._no_steps.get(fetch)
        if known is None:
            known = self._no_steps[fetch] = only_begins_or_ends(fetch, _initializers(session.graph))
        return known


def only_begins_or_ends(operation: Any, initializers: Set[Any]) -> bool:
    """Returns whether `operation` is one of `initializers`, of a queue's, a table's or an iterator's, or a group of
    such."""
    if operation in initializers or operation.type.startswith(_BEGIN_OR_END):
        return True
    if operation.type != "NoOp":
        return False
    return all(only_begins_or_ends(each, initializers) for each in operation.control_inputs)


def _initializers(graph: Any) -> Set[Any]:
    keys = tf.GraphKeys
    found = set(graph.get_collection(keys.TABLE_INITIALIZERS))
    for key in (keys.GLOBAL_VARIABLES, keys.LOCAL_VARIABLES, keys.MODEL_VARIABLES, keys.METRIC_VARIABLES):
        found.update(getattr(variable, "initializer", None) for variable in graph.get_collection(key))
    return found
