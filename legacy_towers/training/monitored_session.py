"""`lt.training.session`: a MonitoredTrainingSession with everything that a long run needs."""
import contextlib
import os
from typing import Any, Callable, NamedTuple, Optional, Sequence, Union

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.inputs.record_files import explaining
from legacy_towers.step import TrainStep
from legacy_towers.tensor_types import ConfigProto
from legacy_towers.training.callbacks import Callback, CallbackGroup
from legacy_towers.training.checkpoints.newest import warn_of_problems
from legacy_towers.training.checkpoints.options import CheckpointOptions
from legacy_towers.training.checkpoints.store import CheckpointStore
from legacy_towers.training.checkpoints.warm import WarmStarter, WarmStartReport
from legacy_towers.training.evaluation.evaluator import Evaluation, Evaluator
from legacy_towers.training.evaluation.options import EvaluationOptions
from legacy_towers.training.hook_order import SessionParts, ordered_hooks, step_multiple
from legacy_towers.training.hooks.callbacks import CallbackHook
from legacy_towers.training.hooks.checkpoint import CheckpointHook
from legacy_towers.training.hooks.evaluation import EvaluationHook, Listener
from legacy_towers.training.hooks.interrupt import InterruptHook
from legacy_towers.training.hooks.nan_guard import NanGuardHook
from legacy_towers.training.hooks.stall import StallHook
from legacy_towers.training.hooks.summaries import SummaryHook
from legacy_towers.training.nan_policy import NAN_LIMIT, check_on_nan
from legacy_towers.training.stall_policy import STALL_SECONDS
from legacy_towers.training.user_hooks import hooks_for
from legacy_towers.training.warm_start import WarmStart, as_warm_start
from legacy_towers.training.worker_scaffold import worker_scaffold

# How long threads of the input may take to end.
_GRACE_SECONDS = 30


class Reporting(NamedTuple):
    """What prints and counts the steps of a session.

    Attributes:
      hooks: hooks that print, count and trace steps; called before the user's.
      evaluation_listeners: called with each `Evaluation`, before the callbacks.
      nan: called with a sentence for a skipped step or a restore; None: a warning.
    """

    hooks: Sequence[Any] = ()
    evaluation_listeners: Sequence[Listener] = ()
    nan: Optional[Callable[[str], None]] = None


_NO_REPORTING = Reporting()


class TrainingSession:
    """A context manager that gives a `tf.train.MonitoredSession` for long training runs; also named `session`.

        with lt.training.session(step, "run", last_step=10000) as session:
            while not session.should_stop():
                session.run(step.train_op)

    It is a MonitoredTrainingSession with the step's hooks. It restores the newest valid checkpoint, saves verified ones
    (see `CheckpointStore`), and stops at a loss that is NaN or infinite (`NanGuardHook`). Ctrl-C or SIGTERM ends it
    after the current step with a checkpoint; a second one ends it at once.

    The graph is finalized: what is to be run must be built before.

    Args:
      step: the train step. Its graph is the default graph inside the block.
      checkpoints: the directory, which is locked during the block; or a `CheckpointStore`, which its owner closes;
        None: nothing is saved or restored.
      checkpoint_options: when checkpoints are saved and which are kept, for a directory; None: every 10 minutes, and
        the newest 5.
      hooks: further `tf.train.SessionRunHook`s; or a function that takes the step and returns them. A hook that is a
        `Callback` too, such as `MetricsFileHook`, is called as both.
      callbacks: `Callback`s.
      last_step: the global step at which training ends; None: at the end of the data, or when the block is left. A
        session that is restored there stops before its first step.
      on_nan: what a loss does that is NaN or infinite. "stop": raises `NanError`. "skip": the step changes nothing; it
        must be built with `skip_nonfinite=True`. "restore": the variables get the values of the newest checkpoint, and
        training continues with the next examples. "off": nothing. See `NanGuardHook`.
      summary_dir: where a `SummaryHook` writes summaries for TensorBoard, every 100 steps; None: nowhere.
      config: a tf.ConfigProto, such as `lt.session_config(logical_cpus=4)`.
      evaluator: what is evaluated during training; see `EvaluationHook`. The `evaluation` of the context manager is its
        hook.
      evaluation: when, and whether training stops early; given together with `evaluator`.
      nan_limit: the most steps in a row that are skipped, or the most restores, before it is an error.
      stall_seconds: a step that takes longer is reported with what it waits for (`StallHook`).
      on_stall: "wait" after the report; or "abort": the run ends with a checkpoint and a `StallError`.
      warm_start: where initial values come from: a `WarmStart`, or the name of a checkpoint; not used by a session that
        resumes.
      reporting: what prints and counts steps, for programs around a run such as `legacy-towers train`.
      target: the `target` of the server, for a step that was built with a cluster, where each worker has a session; ""
        for one process. Only the chief is given checkpoints: the others get its values. A stop that is requested on one
        worker, by a signal too, ends all after the same step.

    Attributes:
      interrupted: the number of the signal that ended the session early, SIGINT (Ctrl-C) or SIGTERM; None without one.
      store: the checkpoints; None without `checkpoints`.
      guard: the `NanGuardHook`, which counts skipped steps and restores; None with on_nan="off".
      evaluation: the hook that evaluates, with its results; None without an evaluator, or before the block.
      warm_started: a `WarmStartReport`: what the warm start does with each variable; None without one, and where the
        session resumes from a checkpoint.

    Raises:
      ArgumentError: an argument is of another type or out of range.
      JobError, when entered: another run is using the directory, or its checkpoints are damaged or do not fit.
      NanError, in the block: see `NanGuardHook`.
      RecordError, in the block: a record or a file of the data can't be read or parsed.
      SaveError, in the block: see `CheckpointHook`.
    """

    def __init__(
        self,
        step: TrainStep,
        checkpoints: Union[None, str, CheckpointStore] = None,
        checkpoint_options: Optional[CheckpointOptions] = None,
        hooks: Any = (),
        callbacks: Union[Sequence[Callback], CallbackGroup] = (),
        last_step: Optional[int] = None,
        on_nan: str = "stop",
        summary_dir: Optional[str] = None,
        config: Optional[ConfigProto] = None,
        evaluator: Optional[Evaluator] = None,
        evaluation: Optional[EvaluationOptions] = None,
        warm_start: Union[None, str, WarmStart] = None,
        nan_limit: int = NAN_LIMIT,
        stall_seconds: float = STALL_SECONDS,
        on_stall: str = "wait",
        reporting: Reporting = _NO_REPORTING,
        target: str = "",
    ) -> None:
        if not isinstance(step, TrainStep):
            raise ArgumentError("step must be what lt.build_train_step returns, got {}".format(type(step).__name__))
        check_on_nan(on_nan, nan_limit)
        if last_step is not None and (isinstance(last_step, bool) or not isinstance(last_step, int) or last_step < 1):
            raise ArgumentError("last_step is {!r}: it must be an integer of at least 1".format(last_step))
        self.interrupted: Optional[int] = None
        self.store: Optional[CheckpointStore] = None
        self._owned_store: Optional[CheckpointStore] = None
        if isinstance(checkpoints, CheckpointStore):
            if checkpoint_options is not None:
                raise ArgumentError("give checkpoint_options to the CheckpointStore, not to the session")
            self.store = checkpoints
        elif checkpoints is not None:
            self.store = self._owned_store = CheckpointStore(os.fspath(checkpoints), checkpoint_options)
        elif checkpoint_options is not None:
            raise ArgumentError("checkpoint_options has no effect without checkpoints, their directory")
        self.evaluation: Optional[EvaluationHook] = None
        if (evaluator is None) != (evaluation is None):
            raise ArgumentError("give evaluator and evaluation together: what is evaluated, and when")
        self._evaluator = evaluator
        self._evaluation_options = None if evaluation is None else evaluation.checked()
        if evaluation is not None and not evaluation.is_given:
            raise ArgumentError("evaluation needs evaluate_steps or evaluate_seconds")
        self._evaluation_listeners = list(reporting.evaluation_listeners)
        self.guard = None if on_nan == "off" else NanGuardHook(step, on_nan, nan_limit, self.store, reporting.nan)
        self._step = step
        self._calls_end = not isinstance(callbacks, CallbackGroup)
        self._callbacks = callbacks if isinstance(callbacks, CallbackGroup) else CallbackGroup(callbacks)
        self._calling: Optional[CallbackHook] = None
        self._interrupt = InterruptHook()
        self._stall = StallHook(step, stall_seconds, on_stall)
        self._warm_start = as_warm_start(warm_start)
        self.warm_started: Optional[WarmStartReport] = None
        self._hooks = hooks
        self._reports = list(reporting.hooks)
        self._last_step = last_step
        self._summary_dir = summary_dir
        self._config = config
        self._target = target
        if (step.stop_hook is None) != (not target):
            raise ArgumentError(
                "target is {!r}, and the step was built without a cluster: leave it out".format(target) if target else
                "the step was built with a cluster, and target is missing: pass target=server.target, where server is "
                "what lt.cluster.start(...) returned"
            )
        if step.stop_hook is not None:
            step.stop_hook.reason = lambda: self._interrupt.signal or 1
        if step.watch_hook is not None and self.store is not None:
            step.watch_hook.before_exit = self.store.unlock
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Any:
        with contextlib.ExitStack() as stack:
            # After all else that is left, so that a last checkpoint is visible.
            stack.callback(self._note_signal)
            stack.enter_context(self._step.loss.graph.as_default())
            if self._owned_store is not None:
                stack.enter_context(self._owned_store)
            reports = list(self._reports)
            if self._summary_dir is not None:
                reports.append(SummaryHook(self._step, self._summary_dir))
            stack.callback(self._interrupt.restore)
            self._interrupt.install()
            stack.enter_context(explaining(self._step.hooks, self._step.plan.input.source))
            own_hooks = hooks_for(self._hooks, self._step)
            # TensorFlow keeps one writer per directory and never ends its thread.
            writers = [each.writer() for each in reports + own_hooks if isinstance(each, SummaryHook)]
            for writer in writers:
                stack.callback(writer.close)
            self._callbacks.add(reports + own_hooks)
            self._calling = CallbackHook(self._step, self._callbacks)
            hooks = ordered_hooks(SessionParts(
                step=self._step,
                interrupt=self._interrupt,
                callbacks=self._callbacks,
                calling=self._calling,
                hooks=own_hooks,
                reports=reports,
                last_step=self._last_step,
                guard=self.guard,
                store=self.store,
                writer=writers[0] if writers else None,
                stall=self._stall,
                evaluation=None if self._evaluator is None else self._evaluation_hook,
            ))
            session = stack.enter_context(tf.train.MonitoredTrainingSession(
                master=self._target,
                hooks=hooks,
                scaffold=self._scaffold(),
                config=self._config,
                save_checkpoint_secs=None,
                save_summaries_steps=None,
                save_summaries_secs=None,
                log_step_count_steps=None,
                stop_grace_period_secs=_GRACE_SECONDS,
            ))
            if self._owned_store is not None and self._owned_store.restored is not None:
                warn_of_problems(self._owned_store.restored)
            self._stack = stack.pop_all()
            return session

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        try:
            is_over = bool(self._stack.__exit__(kind, error, traceback))
        finally:
            if self._step.watch_hook is not None:
                self._step.watch_hook.stop()
        if self._step.stop_hook is not None and (kind is None or is_over):
            # Not after an error: the others notice that this worker ends, and end too.
            self._step.stop_hook.finish()
        last_step = None if self._calling is None else self._calling.last_step
        if self._calls_end and (kind is None or is_over) and last_step is not None:
            self._callbacks.ended(last_step)
        return is_over

    def _evaluation_hook(self, saving: Optional[CheckpointHook]) -> EvaluationHook:
        assert self._evaluator is not None and self._evaluation_options is not None
        options = self._evaluation_options
        self.evaluation = EvaluationHook(
            self._evaluator, saving, options.evaluate_steps, options.evaluate_seconds, options.early_stopping(),
            self._evaluation_listeners + [self._call_evaluated], self._interrupt, step_multiple(self._step),
        )
        return self.evaluation

    def _call_evaluated(self, evaluation: Evaluation) -> bool:
        self._callbacks.evaluated(evaluation.step, evaluation.metrics)
        return self._callbacks.wants_stop

    def _scaffold(self) -> Optional[Any]:
        """Returns a scaffold that restores the newest checkpoint, or applies the warm start where there is none."""
        if self._step.stop_hook is not None and self._step.stop_hook.waits_for_chief:
            return worker_scaffold()
        store, starter = self.store, None
        if self._warm_start is not None and (store is None or store.newest().checkpoint is None):
            starter = WarmStarter(self._warm_start)
            self.warm_started = starter.report
        if starter is None:
            return None if store is None else store.scaffold()

        def initialize(scaffold: Any, session: Any) -> None:
            # A session in the place of a lost one restores what has been saved since.
            if store is None or store.restore(session).checkpoint is None:
                starter.apply(session)

        return tf.train.Scaffold(init_fn=initialize)

    def _note_signal(self) -> None:
        self.interrupted = self._interrupt.signal
        if self.interrupted is None and self._step.stop_hook is not None:
            self.interrupted = self._step.stop_hook.signal or None


session = TrainingSession
"""Makes a `TrainingSession`; the same class under the name that reads as a call."""
