"""The session of a training run, with all hooks that print, count, record and trace its steps."""
import contextlib
import functools
from typing import List, NamedTuple, Optional, TextIO

from legacy_towers.measure.trace_steps import TraceStepsHook
from legacy_towers.training.checkpoints.store import CheckpointStore
from legacy_towers.training.evaluation.evaluator import Evaluation
from legacy_towers.training.evaluation.history import evaluations_folder
from legacy_towers.training.evaluation.stop_request import read_stop_request
from legacy_towers.training.hooks.progress import ProgressHook
from legacy_towers.training.hooks.prometheus import PrometheusHook
from legacy_towers.training.hooks.requested_stop import RequestedStopHook
from legacy_towers.training.metrics.hooks import record_hooks, trace_hook
from legacy_towers.training.monitored_session import Reporting, TrainingSession
from legacy_towers.training.runs.built import BuiltRun
from legacy_towers.training.runs.prepared import PreparedRun


class SessionOfRun(NamedTuple):
    """The session of a training run.

    Attributes:
      session: the context manager that gives the session.
      progress: what prints and counts the steps.
      trace: what traces steps; None without it.
      requested_stop: what stops when an evaluator asks for it; None without one.
    """

    session: TrainingSession
    progress: ProgressHook
    trace: Optional[TraceStepsHook]
    requested_stop: Optional[RequestedStopHook] = None

    def run(self, built: BuiltRun) -> None:
        """Runs all steps; none if the run is complete."""
        if built.start >= built.end.step:
            return
        with self.session as session:
            for train_op in built.step.train_ops(built.start):
                if session.should_stop():
                    break
                session.run(train_op)

    def evaluations(self) -> List[Evaluation]:
        """Returns the evaluations during training."""
        return [] if self.session.evaluation is None else self.session.evaluation.evaluations

    def stopped_early(self, step: int) -> Optional[str]:
        """Returns a sentence on why training stopped at a step before its last one; None if it did not."""
        if self.requested_stop is not None and self.requested_stop.stopped is not None:
            # The evaluation was of an earlier step.
            return str(self.requested_stop.stopped._replace(step=step))
        stopped = None if self.session.evaluation is None else self.session.evaluation.stopped
        return None if stopped is None else str(stopped)


def session_of(
    run: PreparedRun, built: BuiltRun, store: CheckpointStore, stream: TextIO, stack: contextlib.ExitStack,
    target: str = "",
) -> SessionOfRun:
    """Returns the session of a run; `stack` closes what prints and serves metrics.

    Args:
      target: that of the server of a worker; "" for one process.
    """
    settings, step = run.settings, built.step
    every = settings.log_every
    if run.is_asynchronous:
        # This loop is one tower's, and the global step counts the updates of all.
        every = max(1, every // run.towers)
    progress = ProgressHook(
        step.loss, step.global_step, built.end.step, run.step_size, every, stream,
        others_step=run.is_asynchronous, skipped=run.job.train.skipped, times=step.worker_times_hook,
    )
    stack.callback(progress.close)
    trace = trace_hook(step, run.records, built.start, built.end.step)
    recording = record_hooks(step, run.records, settings.checkpoint_dir)
    for each in recording:
        if isinstance(each, PrometheusHook):
            stack.callback(each.close)
    run.callbacks.add(recording)

    def report(evaluation: Evaluation) -> None:
        assert session.evaluation is not None
        progress.evaluated(evaluation, session.evaluation.seconds)

    requested_stop = None
    if settings.evaluator and run.is_chief:
        requested_stop = RequestedStopHook(
            functools.partial(read_stop_request, evaluations_folder(store.directory))
        )
    evaluates = run.evaluation.is_given
    session = TrainingSession(
        step, store if run.is_chief else None, hooks=run.job.hooks,
        callbacks=run.callbacks, last_step=built.end.step, config=run.config,
        stall_seconds=settings.stall_seconds, on_stall=settings.on_stall,
        evaluator=built.evaluator if evaluates else None, evaluation=run.evaluation if evaluates else None,
        on_nan=settings.on_nan, nan_limit=settings.nan_limit, warm_start=built.warm_start,
        target=target,
        reporting=Reporting([progress] + [each for each in (trace, requested_stop) if each] + recording, [report],
                            progress.note),
    )
    return SessionOfRun(session, progress, trace, requested_stop)
