"""Evaluates a model while it trains, without touching its training."""
import contextlib
import tempfile
import time
import warnings
from typing import Any, Callable, Iterator, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, SaveError
from legacy_towers.tensor_types import Coordinator, Session
from legacy_towers.training.checkpoints.options import CheckpointOptions
from legacy_towers.training.checkpoints.savers import graph_savers
from legacy_towers.training.checkpoints.store import CheckpointStore
from legacy_towers.training.evaluation.evaluator import Evaluation, Evaluator
from legacy_towers.training.evaluation.history import read_history, write_history
from legacy_towers.training.evaluation.options import EarlyStopping, Stopped
from legacy_towers.training.hooks.checkpoint import CheckpointHook
from legacy_towers.training.hooks.interrupt import InterruptHook

Listener = Callable[[Evaluation], Any]


class EvaluationHook(tf.train.SessionRunHook):
    """Evaluates a checkpoint of every N global steps, or every so many seconds, between two steps of training.

        evaluator = lt.training.Evaluator(model_fn, test_examples, devices=lt.devices.cpus(4))
        evaluation = lt.training.EvaluationHook(evaluator, saving, every_steps=100, listeners=[print])
        hooks = list(step.hooks) + [saving, evaluation]          # saving: a CheckpointHook

    Each evaluation saves a checkpoint, or takes the one that was saved at this step, and restores it into the graph and
    a new session of the `Evaluator`. Towers for evaluation in the training graph, which share its variables, would save
    the file and the second copy of the variables, but would run in the training session: their random operations and
    their input would draw on what training uses, a finalized or imported graph has no place for them, and each variable
    strategy would need its own way to read whole variables: from copies, means of copies, parts and moving averages. A
    checkpoint has them under the same names for all of them. So the training session runs nothing but its saver: the
    next batch, the state of random operations and all variables are what they would be without the evaluation.
    Asynchronous towers pause meanwhile, if the `CheckpointHook` has their `pausing_listener()`.

    The evaluations are remembered in the file evaluations.json beside the checkpoints. A run that was killed resumes
    with those up to its checkpoint, and first evaluates that, if the run was killed before it could: with `every_steps`
    it stops early at the same step as a run that was never killed.

    Put it after the `CheckpointHook`, or the step's hooks, and after an `lt.training.NanGuardHook`.

    Args:
      evaluator: the model and its examples.
      saving: the hook that saves checkpoints: its store keeps the best one, by its option `keep_best`. None: a
        checkpoint in a temporary directory, by the graph's saver, for a session that saves otherwise; nothing
        is remembered then.
      every_steps: global steps between two evaluations: multiples of it are evaluated.
      every_seconds: seconds between two evaluations; with `every_steps` too, whichever comes first.
      early_stopping: when to stop training; None: never.
      listeners: functions that are called with each `Evaluation`; one that returns True ends training. They are called
        before it is remembered, so that none is lost by a kill; the resumed run may call them with the last one again.
      interrupt: the session's `InterruptHook`: its signal ends an evaluation too, which a resumed run then makes first.
      step_multiple: during training only steps of these numbers are evaluated: an evaluation that is due waits for one.

    Attributes:
      evaluations: each `Evaluation` up to now, those before a resume included.
      stopped: why training stopped early; None if it did not.
      seconds: how long the last evaluation took, its checkpoint included.

    Raises:
      ArgumentError: no interval, an interval that is not positive, or a metric that the evaluator does not have.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        saving: Optional[CheckpointHook] = None,
        every_steps: Optional[int] = None,
        every_seconds: Optional[float] = None,
        early_stopping: Optional[EarlyStopping] = None,
        listeners: Sequence[Listener] = (),
        interrupt: Optional[InterruptHook] = None,
        step_multiple: int = 1,
    ) -> None:
        if every_steps is None and every_seconds is None:
            raise ArgumentError("EvaluationHook needs every_steps or every_seconds")
        for name, value in (("every_steps", every_steps), ("every_seconds", every_seconds)):
            if value is not None and not value > 0:
                raise ArgumentError("EvaluationHook: {} is {!r}: a number above 0 is needed".format(name, value))
        if early_stopping is not None:
            evaluator.check_metric("early stopping by {!r}".format(early_stopping.by), early_stopping.checked().metric)
        best = None if saving is None else saving.store.options.best()
        if best is not None:
            evaluator.check_metric("--keep-best {}:{}".format(*best), best[1])
        self.evaluations: List[Evaluation] = []
        self.stopped: Optional[Stopped] = None
        self.seconds = 0.0
        self._evaluator = evaluator
        self._saving = saving
        self._every_steps = every_steps
        self._every_seconds = every_seconds
        self._early_stopping = early_stopping
        self._listeners = list(listeners)
        self._interrupt = interrupt
        self._step_multiple = step_multiple
        self._global_step: Optional[Any] = None
        self._graph_saver: Optional[Any] = None
        self._tried_step = 0  # of the last evaluation, also if its checkpoint could not be written
        self._evaluated_at = 0.0

    def begin(self) -> None:
        """Finds the global step and the saver; nothing is added to the graph later."""
        self._global_step = tf.train.get_or_create_global_step()
        if self._saving is None:
            self._graph_saver = graph_savers()[0]

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Remembers the evaluations before a resume, and makes the one that is missing."""
        step = int(session.run(self._global_step))
        if self._saving is not None:
            self.evaluations = read_history(self._saving.store.directory, step)
        else:
            self.evaluations = [each for each in self.evaluations if each.step <= step]  # after a lost session
        self._tried_step = self.evaluations[-1].step if self.evaluations else 0
        self._evaluated_at = time.monotonic()
        is_over = self._is_due(step, by_time=False) and self._evaluate(session, step)
        self.stopped = self._find_reason_to_stop()
        if (is_over or self.stopped is not None) and coord is not None:
            coord.request_stop()

    def before_run(self, run_context: Any) -> Any:
        """Fetches the global step, if evaluations are by steps."""
        return None if self._every_steps is None else tf.train.SessionRunArgs(self._global_step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Evaluates if it is time, and requests a stop if the metric no longer improves."""
        # The run may have read the global step before it incremented it.
        if not self._is_due(None if run_values.results is None else int(run_values.results) + 1):
            return
        step = int(run_context.session.run(self._global_step))
        if step == self._tried_step or step % self._step_multiple or not self._is_due(step):
            return
        is_over = self._evaluate(run_context.session, step)
        self.stopped = self._find_reason_to_stop()
        if is_over or self.stopped is not None:
            run_context.request_stop()

    def _is_due(self, step: Optional[int], by_time: bool = True) -> bool:
        if by_time and self._every_seconds is not None:
            if time.monotonic() - self._evaluated_at >= self._every_seconds:
                return True
        if step is None or self._every_steps is None:
            return False
        # By multiples of the interval, so that a resumed run is evaluated at the same steps.
        return step // self._every_steps > self._tried_step // self._every_steps

    def _is_interrupted(self) -> bool:
        return self._interrupt is not None and self._interrupt.signal is not None

    def _find_reason_to_stop(self) -> Optional[Stopped]:
        return None if self._early_stopping is None else self._early_stopping.stopped(self.evaluations)

    def _evaluate(self, session: Session, step: int) -> bool:
        """Evaluates a step; returns whether a listener asks to stop."""
        started = time.monotonic()
        self._tried_step = step
        try:
            with self._checkpoint(session, step) as checkpoint:
                evaluation = self._evaluator.evaluate_unless(checkpoint, self._is_interrupted)
        except SaveError as error:
            self._warn_or_raise("step {} is not evaluated, since {}".format(step, error), error)
            return False
        finally:
            self._evaluated_at = time.monotonic()
            self.seconds = self._evaluated_at - started
        if evaluation is None:
            return False
        if self._saving is not None:
            self._saving.store.evaluated(evaluation.step, evaluation.metrics)
        is_over = any([listener(evaluation) is True for listener in self._listeners])
        self.evaluations.append(evaluation)
        if self._saving is not None:
            try:
                write_history(self._saving.store, self.evaluations)
            except SaveError as error:
                self._warn_or_raise(str(error), error)
        return is_over

    @contextlib.contextmanager
    def _checkpoint(self, session: Session, step: int) -> Iterator[str]:
        """Returns a context manager for the prefix of a checkpoint of this step; towers pause inside."""
        if self._saving is not None:
            with self._saving.paused():
                checkpoint = self._saving.save(session)
                assert checkpoint is not None  # there is one of each step that was saved
                yield checkpoint
            return
        # The store saves without noting it in the saver's list of checkpoints: those of the session stay as they are.
        with tempfile.TemporaryDirectory(prefix="legacy-towers-") as directory:
            with CheckpointStore(directory, CheckpointOptions(keep=1), self._graph_saver) as store:
                yield store.save(session, step)

    def _warn_or_raise(self, message: str, error: SaveError) -> None:
        if self._saving is None or self._saving.store.options.on_full_disk == "stop":
            raise error
        warnings.warn("{}; training continues".format(message), stacklevel=2)
