"""Train a job from its start, or from where its last checkpoint stopped, to its end."""
import contextlib
import sys
import tempfile
from typing import Any, List, NamedTuple, Optional, TextIO

from legacy_towers.compat import tf
from legacy_towers.config import session_config
from legacy_towers.errors import ArgumentError
from legacy_towers.jobs import Job
from legacy_towers.measure.trace import TraceHook
from legacy_towers.plan import Plan
from legacy_towers.step import TrainStep, build_train_step
from legacy_towers.training.checkpoints import by_checkpoint_name, check_fits, latest_checkpoint, step_of
from legacy_towers.training.evaluate import Evaluation, evaluate
from legacy_towers.training.interrupt import InterruptHook
from legacy_towers.training.progress import ProgressHook
from legacy_towers.training.settings import TrainSettings, batch_sizes, last_step, make_input, tower_devices

# Steps before the one that is traced: by then every device is warm and every queue has filled.
_TRACED_STEP = 10


class Trained(NamedTuple):
    """What a training run did.

    Attributes:
      plan: what was decided.
      resumed_from: the checkpoint it went on from; None if it started anew.
      steps: steps of this run.
      step: the global step that was reached.
      last_step: the global step it was to end at.
      loss: the global loss at the last printed step; None if no step was run.
      examples_per_second: over all towers, the first step left out; None if there was at most one step.
      interrupted: whether Ctrl-C ended it early.
      evaluation: over the test examples at the end; None if the job has none, or the run was interrupted.
      overlap: a sentence on how far the towers ran at the same time; None without a trace.
      traced_step: the global step that was traced; None without a trace.
    """

    plan: Plan
    resumed_from: Optional[str]
    steps: int
    step: int
    last_step: int
    loss: Optional[float]
    examples_per_second: Optional[float]
    interrupted: bool
    evaluation: Optional[Evaluation]
    overlap: Optional[str]
    traced_step: Optional[int]


def train(
    job: Job,
    settings: TrainSettings,
    stream: Optional[TextIO] = None,
    name: str = "job",
    full_plan: bool = False,
) -> Trained:
    """Trains a job and evaluates it at the end.

    With a checkpoint directory that holds a checkpoint, training goes on from there to the same last step; a run that is
    complete already only evaluates.

    Args:
      job: what to train.
      settings: how.
      stream: where to print the plan and the progress; standard error by default.
      name: what the job is called in print.
      full_plan: whether the plan is printed with its table of variables.

    Raises:
      UserError: the settings can't be met; nothing was written then.
    """
    stream = stream or sys.stderr
    sizes = batch_sizes(job, settings)
    devices = tower_devices(settings)
    end = last_step(job, settings, sizes.global_)
    if settings.log_every < 1:
        raise ArgumentError("log_every is {}: at least 1 is needed".format(settings.log_every))
    source = make_input(job, settings)
    with contextlib.ExitStack() as stack:
        directory = settings.checkpoint_dir or stack.enter_context(tempfile.TemporaryDirectory(prefix="legacy-towers-"))
        resumed_from = latest_checkpoint(directory)
        with tf.Graph().as_default():
            step = build_train_step(
                job.model_fn,
                source,
                job.optimizer,
                devices,
                update_ops=job.update_ops,
                on_missing=job.on_missing,
                moving_average_decay=job.moving_average_decay,
            )
            start = 0
            if resumed_from is not None:
                check_fits(resumed_from, by_checkpoint_name(tf.global_variables()))
                start = step_of(resumed_from)
            stream.write("{}: {}\n".format(name, step.plan if full_plan else step.plan.summary()))
            stream.write(_beginning(settings, resumed_from, start, end))
            progress = ProgressHook(step.loss, step.global_step, end, sizes.global_, settings.log_every, stream)
            traced = min(_TRACED_STEP, end - start)
            trace = TraceHook(traced, settings.trace) if settings.trace and traced > 0 else None
            # The hook that stops at the last step looks only after a step: a complete run must not take one more.
            interrupted = start < end and _run(
                step, settings, directory, end, [progress] + ([trace] if trace else [])
            )
        evaluation = None
        if job.test is not None and not interrupted:
            evaluation = evaluate(job, directory, device=settings.device)
        return Trained(
            plan=step.plan,
            resumed_from=resumed_from,
            steps=progress.steps,
            step=start + progress.steps,
            last_step=end,
            loss=progress.loss,
            examples_per_second=progress.examples_per_second,
            interrupted=interrupted,
            evaluation=evaluation,
            overlap=str(trace.trace.overlap()) if trace is not None and trace.trace is not None else None,
            traced_step=start + traced if trace is not None and trace.trace is not None else None,
        )


def _run(step: TrainStep, settings: TrainSettings, directory: str, end: int, hooks: List[Any]) -> bool:
    """Runs all steps; returns whether Ctrl-C ended them early."""
    tf.summary.scalar("global_loss", step.loss)
    for name, metric in step.metrics.items():
        tf.summary.scalar("global_" + name, metric)
    config = session_config(
        soft_placement=settings.soft_placement,
        allow_growth=settings.allow_growth,
        log_device_placement=settings.log_device_placement,
        logical_cpus=settings.towers if settings.device == "cpu" else 1,
        memory_fraction=settings.memory_fraction,
    )
    interrupt = InterruptHook()
    all_hooks = list(step.hooks) + [tf.train.StopAtStepHook(last_step=end)] + hooks + [interrupt]
    keep = settings.checkpoint_dir is not None
    try:
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=directory,
            hooks=all_hooks,
            config=config,
            save_summaries_steps=100 if keep else None,
            save_summaries_secs=None,
            log_step_count_steps=None,
            stop_grace_period_secs=30,
        ) as session:
            while not session.should_stop():
                session.run(step.train_op)
    finally:
        interrupt.restore()
    return interrupt.interrupted


def _beginning(settings: TrainSettings, resumed_from: Optional[str], start: int, end: int) -> str:
    if resumed_from is not None and start >= end:
        return "{} is at step {} of {} already: nothing to train\n".format(resumed_from, start, end)
    if resumed_from is not None:
        return "resuming from {} at step {}, to step {}\n".format(resumed_from, start, end)
    if settings.checkpoint_dir:
        return "checkpoints and summaries go to {}\n".format(settings.checkpoint_dir)
    return ""
