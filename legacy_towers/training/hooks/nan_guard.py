"""Ends training, skips or restores if a loss or a variable is NaN or infinite, before it is saved."""
import contextlib
import functools
import warnings
from typing import Any, Callable, List, Optional, Sequence, Set

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, NanError
from legacy_towers.step import TrainStep
from legacy_towers.tensor_types import Coordinator, Graph, Session
from legacy_towers.training.checkpoints.savers import graph_savers
from legacy_towers.training.checkpoints.store import CheckpointStore
from legacy_towers.training.hooks.finite_variables import Check, Repair, local_repairs, variable_checks
from legacy_towers.training.hooks.watched_losses import WatchedLosses, trained_in, watched_losses
from legacy_towers.training.nan_policy import NAN_LIMIT, check_on_nan
from legacy_towers.variables import synchronize

# Of many skipped steps, the first ones are reported, and then each hundredth.
_REPORTED = 10
_THEN_EACH = 100


class NanGuardHook(tf.train.SessionRunHook):
    """Acts in the step whose loss is NaN or infinite, and keeps such variables out of checkpoints.

        guard = lt.training.NanGuardHook(step)
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir="run", hooks=step.hooks, chief_only_hooks=[guard]
        ) as session:
            while not session.should_stop():
                session.run(step.train_op)

    In each run of a train op it fetches one tensor with the global loss and the towers' losses, which the step computes
    anyway. Other runs are not changed. Where objectives alternate, it checks the loss of the one that is trained; where
    towers train asynchronously, tower 0's.

    A gradient can be NaN although the loss is finite. So each save by the saver in the collection SAVERS, which
    MonitoredTrainingSession uses, first checks all global variables, and the towers' copies where their mean is saved.
    A variable that is NaN or infinite when the session starts is not checked.

    MonitoredTrainingSession calls its `chief_only_hooks` before its own CheckpointSaverHook. In `hooks` the guard
    keeps checkpoints finite too, but if the step is to be saved, the error names the variable, not the tower. With an
    `lt.training.CheckpointHook`, put it in `hooks` before that.

    Args:
      step: the train step, of the default graph.
      on_nan: "stop": an error. "skip": the step has changed nothing, and training continues; the step must be built
        with `skip_nonfinite=True`. "restore": all variables but the global step get the values of the newest valid
        checkpoint, and training continues with the next examples: the updates since then are lost.
      limit: "skip": an error if more steps in a row are skipped; "restore": if the session restores more often.
      store: "restore": the checkpoints.
      report: called with a sentence for a skipped step or a restore; None: a warning.

    Attributes:
      skipped: number of steps that were skipped.
      restored: how often the variables were restored.

    Raises (in the session):
      NanError: the message names the global step, the first such tensor, and its tower.

    Raises:
      ArgumentError: an argument is out of range; "skip" with a step that can't skip, or "restore" without a store.
    """

    def __init__(
        self,
        step: TrainStep,
        on_nan: str = "stop",
        limit: int = NAN_LIMIT,
        store: Optional[CheckpointStore] = None,
        report: Optional[Callable[[str], None]] = None,
    ) -> None:
        check_on_nan(on_nan, limit, limit_option="limit")
        if on_nan == "skip" and not step.is_finite:
            raise ArgumentError(
                "on_nan='skip' needs a step that can skip: lt.build_train_step(..., skip_nonfinite=True)"
            )
        if on_nan == "restore" and store is None:
            raise ArgumentError("on_nan='restore' needs checkpoints: give their directory, or a CheckpointStore")
        self.skipped = 0
        self.restored = 0
        self._step = step
        self._policy = on_nan
        self._limit = limit
        self._store = store
        self._report = report
        self._in_a_row = 0
        self._watched = [] if on_nan == "off" else watched_losses(step)
        self._requests: List[Any] = []  # per watched loss
        self._running: List[WatchedLosses] = []  # what the current run trains
        self._graph: Optional[Graph] = None
        self._checks: List[Check] = []
        self._repairs: List[Repair] = []
        self._ignored: Optional[Set[str]] = None  # what was not finite at the start

    def begin(self) -> None:
        """Adds the tensors of losses, and checks of variables, which the graph's saver runs before each save."""
        graph = tf.get_default_graph()
        if self._graph is graph or self._policy == "off":
            return
        with tf.name_scope("nan_guard"):
            self._requests = [tf.train.SessionRunArgs(each.stacked()) for each in self._watched]
        self._graph, self._checks, self._ignored = graph, variable_checks(self._step), None
        if self._policy == "restore":
            self._repairs = local_repairs()
        for saver in graph_savers():
            saver.save = functools.partial(_save_if_finite, self._check_before_save, saver.save)

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Notes which variables are not finite before the first step."""
        self._bad_variables(session)

    def before_run(self, run_context: Any) -> Any:
        """Fetches the losses in a run that trains."""
        self._running = trained_in(self._watched, run_context)
        if len(self._running) < 2:
            return self._requests[self._watched.index(self._running[0])] if self._running else None
        return tf.train.SessionRunArgs([self._requests[self._watched.index(each)].fetches for each in self._running])

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Acts if a loss is not finite, or the step was skipped."""
        if not self._running:
            return
        results = [run_values.results] if len(self._running) == 1 else run_values.results
        bad = [(each, values) for each, values in zip(self._running, results) if not each.is_good(values)]
        if not bad:
            self._in_a_row = 0
            return
        session = run_context.session
        watched, values = bad[0]
        clauses = watched.findings(values, int(session.run(self._step.global_step)))
        if self._policy == "skip":
            self._skip(clauses, watched.advice(values))
            return
        variables = self._bad_variables(session)
        if len(variables) == 1:
            clauses.append("{} is not finite after it".format(variables[0]))
        elif variables:
            clauses.append("{} and {} more are not finite after it".format(variables[0], len(variables) - 1))
        if self._policy == "restore":
            self._restore(session, _joined(clauses), watched.advice(values))
            return
        raise NanError("{}: training ends, and no further checkpoint is saved; {}".format(
            _joined(clauses), watched.advice(values)
        ))

    def check_variables(self, session: Session) -> None:
        """Raises NanError if a variable is not finite that was finite when the session started.

        To be called before a save by a saver that is not in the collection SAVERS.
        """
        finding = self._finding_in_variables(session)
        if finding:
            raise NanError(
                "{}: training ends, and no checkpoint of this step is saved; lt.gradients.check_numerics() in the "
                "reduction names the gradient that causes it".format(finding)
            )

    def _check_before_save(self, session: Session) -> None:
        if self._policy != "restore":
            self.check_variables(session)
            return
        finding = self._finding_in_variables(session)
        if finding:
            # Towers that train asynchronously are paused already while variables are saved.
            self._restore(session, finding, "check gradients by lt.gradients.check_numerics()", pauses=False)

    def _finding_in_variables(self, session: Session) -> str:
        bad = self._bad_variables(session)
        step = self._step.global_step
        return "{} is NaN or infinite after global step {}".format(bad[0], int(session.run(step))) if bad else ""

    def _bad_variables(self, session: Session) -> List[str]:
        """Returns the descriptions of variables that are not finite, without those that were not at the start."""
        are_finite = session.run([each.is_finite for each in self._checks])
        bad = [each.name for each, is_finite in zip(self._checks, are_finite) if not is_finite]
        if self._ignored is None:
            self._ignored = set(bad)
        return [name for name in bad if name not in self._ignored]

    def _skip(self, clauses: Sequence[str], advice: str) -> None:
        self.skipped += 1
        self._in_a_row += 1
        if self._in_a_row > self._limit:
            raise NanError("{}: {} steps in a row were skipped, and the limit is {}: training ends; {}".format(
                _joined(clauses), self._in_a_row, self._limit, advice
            ))
        if self.skipped <= _REPORTED or self.skipped % _THEN_EACH == 0:
            self._tell("{}: the step is skipped, {:,} so far; {}".format(_joined(clauses), self.skipped, advice))

    def _restore(self, session: Session, finding: str, advice: str, pauses: bool = True) -> None:
        """Restores the newest valid checkpoint, without the global step."""
        store, towers = self._store, self._step.asynchronous
        assert store is not None
        if self.restored == self._limit:
            raise NanError("{}: the variables were restored {} times already, and that is the limit: training ends; {}"
                           .format(finding, self.restored, advice))
        with contextlib.ExitStack() as stack:
            if towers is not None and pauses:
                stack.enter_context(towers.paused())
            step = self._step.global_step
            value = session.run(step)
            newest = store.restore_variables(session)
            if newest.checkpoint is None:
                raise NanError("{}: training ends, since {} has no checkpoint to restore; {}".format(
                    finding, store.directory, advice
                ))
            # The steps since then count, and their examples have been used: no hook sees a step twice.
            session.run(step.initializer, {step.initializer.inputs[1]: value})
            synchronize(session)
            are_finite = session.run([each.is_finite for each in self._repairs])
            session.run([each.initializer for each, is_finite in zip(self._repairs, are_finite) if not is_finite])
        self.restored += 1
        self._tell("{}: the variables of {} are restored, and the updates of {} step{} since then are lost; {}".format(
            finding, newest.checkpoint, int(value) - int(newest.step or 0),
            "" if int(value) - int(newest.step or 0) == 1 else "s", advice
        ))

    def _tell(self, sentence: str) -> None:
        if self._report is not None:
            self._report(sentence)
        else:
            warnings.warn(sentence, stacklevel=3)


def _save_if_finite(
    check: Callable[[Session], None], save: Callable[..., Any], sess: Session, *arguments: Any, **options: Any
) -> Any:
    check(sess)
    return save(sess, *arguments, **options)


def _joined(clauses: Sequence[str]) -> str:
    return ", and ".join([", ".join(clauses[:-1]), clauses[-1]] if clauses[1:] else clauses)
