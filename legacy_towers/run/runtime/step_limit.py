"""`--timeout-steps N`: ends a script after N session runs.

The script's own runs count, training and evaluation alike. Not counted are runs that only initialize variables, tables
or iterators, that only fill or close a queue, and runs that TensorFlow itself makes: to restore, save, write summaries
or manage a session.
"""
import logging
import threading
from typing import Any, Dict, List, Optional, Set

from legacy_towers.compat import tf

# Modules of TensorFlow whose own session runs are not steps of the script. MonitoredSession and Tensor.eval are not
# among them: they run fetches of the script.
_TENSORFLOW_CALLERS = (
    "python.training.saver",
    "python.training.session_manager",
    "python.training.supervisor",
    "python.training.queue_runner_impl",
    "python.training.basic_session_run_hooks",
    "python.training.sync_replicas_optimizer",
)
# Prefixes of op types that a run may fetch without being counted.
_UNCOUNTED_OPS = ("InitializeTable", "LookupTableImport", "MakeIterator", "QueueEnqueue", "QueueClose", "SaveV2")

# The key of a MonitoredSession's own fetches in the dict that it runs; the other keys are those of its hooks.
MONITORED_FETCHES = "caller"


class StepLimit:
    """Counts the session runs of a script and ends the script before run `limit` + 1.

    Ending it there, and not after run `limit`, lets the script use the result of the last run.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.done = 0
        self.is_reached = False
        # The error that ended a MonitoredSession; a second session gets SystemExit.
        self.raised: Optional[BaseException] = None
        # The errors that ended threads.
        self._errors: List[SystemExit] = []
        self._lock = threading.Lock()

    def leave_out_of_logs(self, error: SystemExit) -> None:
        """Keeps TensorFlow from logging an error that ends a thread: a Coordinator logs it with its traceback."""
        with self._lock:
            self._errors.append(error)
            if len(self._errors) == 1:
                logging.getLogger("tensorflow").addFilter(self._is_logged)

    def _is_logged(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if isinstance(record.exc_info, tuple) else None
        return not any(error is each for each in self._errors)

    def of_session(self, runtime: Any, is_monitored: bool) -> "_SessionRuns":
        """Returns the counter of one session's runs."""
        return _SessionRuns(self, runtime, is_monitored)

    def count_one(self) -> bool:
        """Counts a run; returns False if the limit is reached."""
        with self._lock:
            if self.done >= self.limit:
                return False
            self.done += 1
            return True


class _SessionRuns:
    """Counts the runs of one session; see `count`."""

    def __init__(self, step_limit: StepLimit, runtime: Any, is_monitored: bool) -> None:
        self._step_limit = step_limit
        self._runtime = runtime
        self._is_monitored = is_monitored
        self._uncounted: Dict[Any, bool] = {}

    def count(self, session: Any, fetches: Any, caller: str) -> bool:
        """Counts the run of `fetches` that the module `caller` is about to make, or ends the script.

        Returns:
          Whether the run counts as a step.

        Raises:
          OutOfRangeError: in a MonitoredSession, which handles it as the end of the data: it stops its threads, saves
            and closes.
          SystemExit: in other sessions, with code 0; `except Exception` does not catch it, `finally` runs.
        """
        if not self._is_step(session, fetches, caller):
            return False
        step_limit = self._step_limit
        if step_limit.count_one():
            return True
        if not step_limit.is_reached:
            step_limit.is_reached = True
            by = "--timeout-steps" if self._runtime.watch is None else "--warm-up and --steps"
            by = by if self._runtime.observer is None else "--steps"
            self._runtime.print_line("ended after {} session run{} ({})".format(
                step_limit.limit, "" if step_limit.limit == 1 else "s", by
            ))
        if self._is_monitored and step_limit.raised is None:
            step_limit.raised = tf.errors.OutOfRangeError(None, None, "legacy-towers: --timeout-steps is reached")
            raise step_limit.raised
        # Not a subclass: a thread of the script that ends by a subclass prints a traceback.
        error = SystemExit(0)
        if threading.current_thread() is not threading.main_thread():
            step_limit.leave_out_of_logs(error)
        raise error

    def _is_step(self, session: Any, fetches: Any, caller: str) -> bool:
        if caller.endswith(_TENSORFLOW_CALLERS):
            return False
        if isinstance(fetches, dict) and MONITORED_FETCHES in fetches:
            fetches = fetches[MONITORED_FETCHES]
        several = isinstance(fetches, (list, tuple))
        return not all(self._is_uncounted(session, each) for each in (fetches if several else (fetches,)))

    def _is_uncounted(self, session: Any, fetch: Any) -> bool:
        if not isinstance(fetch, tf.Operation):
            return False
        known = self._uncounted.get(fetch)
        if known is None:
            known = self._uncounted[fetch] = _only_initializes_or_closes(fetch, _initializers(session.graph))
        return known


def _only_initializes_or_closes(operation: Any, initializers: Set[Any]) -> bool:
    """Returns whether `operation` is an initializer, fills or closes a queue, saves, or is a group of such ops."""
    if operation in initializers or operation.type.startswith(_UNCOUNTED_OPS):
        return True
    if operation.type != "NoOp":
        return False
    return all(_only_initializes_or_closes(each, initializers) for each in operation.control_inputs)


def _initializers(graph: Any) -> Set[Any]:
    keys = tf.GraphKeys
    found = set(graph.get_collection(keys.TABLE_INITIALIZERS))
    for key in (keys.GLOBAL_VARIABLES, keys.LOCAL_VARIABLES, keys.MODEL_VARIABLES, keys.METRIC_VARIABLES):
        found.update(getattr(variable, "initializer", None) for variable in graph.get_collection(key))
    return found
