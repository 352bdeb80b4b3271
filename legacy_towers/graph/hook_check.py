"""Rejects runs of a step without its hooks, which would hang, or fail for a reason that does not name the hooks."""
from typing import Any, Callable, Iterable, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.compat.versions.graph_hooks import Run, before_each_run
from legacy_towers.errors import SessionError
from legacy_towers.graph.walk import RunNeeds, ancestors, operations_of
from legacy_towers.tensor_types import Coordinator, Operation, Session, SessionRunHook, Tensor

_ADVICE = (
    "give tf.train.MonitoredTrainingSession hooks=step.hooks, or run the step in a tf.Session by `with "
    "step.running(session) as run: run()`"
)


class HookCheck(tf.train.SessionRunHook):
    """Knows whether a session calls the hooks of a step, and raises an error in a run of the step without them.

    It is one of the hooks itself. A callable of the step is checked when it is made, since it can't be seen when it
    runs: make it inside the session that calls the hooks. Runs that need no step are not looked at, nor are those for
    which the caller feeds what the towers read. Where no hook acts in each run, a session that has begun with the hooks
    can run the step without calling them.

    Args:
      pipeline: the name of the input pipeline, for messages.
      hooks: the hooks that the step needs.
      batches: tensors of the towers' batches.
    """

    def __init__(self, pipeline: str, hooks: Sequence[SessionRunHook], batches: Iterable[Tensor]) -> None:
        self._pipeline = pipeline
        self._action = next((each for each in (getattr(hook, "per_run_action", "") for hook in hooks) if each), "")
        self._batches = list(batches)
        self._read: Optional[Any] = None  # the operations that the batches are made of
        self._has_begun = False
        self._in_run = False

    def watch(self, operations: Sequence[Operation]) -> None:
        """Checks each run that needs one of these operations of the graph."""
        needs = RunNeeds(operations)
        graph = operations[0].graph

        def check(current_run: Callable[[], Optional[Run]]) -> None:
            if self._in_run or (self._has_begun and not self._action):
                return
            run = current_run()
            if run is None:
                return
            fetched = operations_of(run.fetched, graph) if run.makes_callable else run.fetched
            if needs.for_run(frozenset(fetched), frozenset(run.fed), graph) and not self._is_fed(run):
                raise self._error(run.makes_callable)

        before_each_run(graph, check)

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Notes that a session calls the hooks."""
        self._has_begun, self._in_run = True, False

    def before_run(self, run_context: Any) -> None:
        """Notes that this run calls the hooks."""
        self._in_run = True

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Notes that the run has ended."""
        self._in_run = False

    def _is_fed(self, run: Run) -> bool:
        """Returns whether the caller feeds what the batches are made of."""
        if not run.fed:
            return False
        if self._read is None:
            self._read = ancestors(operations_of(self._batches))
        return not self._read.isdisjoint(run.fed)

    def _error(self, is_callable: bool) -> SessionError:
        if not self._has_begun:
            return SessionError(
                "the step runs in a session without its hooks, which the input pipeline {!r} needs: {}{}".format(
                    self._pipeline, _ADVICE, "; make the callable inside that block" if is_callable else ""
                )
            )
        return SessionError(
            "the step runs without its hooks, and the input pipeline {!r} has one that {} in each run: {} of "
            "a tf.Session calls no hooks. Call run() inside `with step.running(session) as run:`, or give "
            "tf.train.MonitoredTrainingSession hooks=step.hooks, and use its run".format(
                self._pipeline, self._action, "a callable" if is_callable else "session.run"
            )
        )
