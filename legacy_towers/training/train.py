"""Train a job from its start, or from where its last checkpoint stopped, to its end."""
import contextlib
import sys
import tempfile
from typing import Any, List, NamedTuple, Optional, TextIO

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.jobs import Job
from legacy_towers.measure.trace import TraceHook
from legacy_towers.plan import Plan
from legacy_towers.step import TrainStep
from legacy_towers.training.auto import check_seconds, settled
from legacy_towers.training.building import build_job_step
from legacy_towers.training.checkpoints import by_checkpoint_name, check_fits, latest_checkpoint, step_of
from legacy_towers.training.choices import (
    AUTO,
    check_for_parts,
    check_names,
    is_asynchronous,
    notes_on,
    with_choices,
)
from legacy_towers.training.data_loss import naming_files
from legacy_towers.training.evaluate import Evaluation, evaluate
from legacy_towers.training.interrupt import InterruptHook
from legacy_towers.training.opening import opening
from legacy_towers.training.places import check_file, prepare_directory, tower_devices
from legacy_towers.training.progress import ProgressHook
from legacy_towers.training.settings import TrainSettings, batch_sizes, find_end, make_config, make_input
from legacy_towers.whole_file import write_whole

# Steps before the one that is traced: by then every device is warm and every queue has filled.
_TRACED_STEP = 10
# Between two checkpoints; what MonitoredTrainingSession does by itself.
_SAVE_SECONDS = 600


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
      interrupted: the signal that ended it early, SIGINT (Ctrl-C) or SIGTERM; None if it ran to its end.
      evaluation: over the test examples at the end; None if the job has none, or the run was interrupted.
      overlap: a sentence on how far the towers ran at the same time; None without a trace.
      traced_step: the global step that was traced; None without a trace.
      staleness: a sentence per tower on how late its updates were; [] unless towers train asynchronously.
    """

    plan: Plan
    resumed_from: Optional[str]
    steps: int
    step: int
    last_step: int
    loss: Optional[float]
    examples_per_second: Optional[float]
    interrupted: Optional[int]
    evaluation: Optional[Evaluation]
    overlap: Optional[str]
    traced_step: Optional[int]
    staleness: List[str]


def train(
    job: Job,
    settings: TrainSettings,
    stream: Optional[TextIO] = None,
    name: str = "job",
    full_plan: bool = False,
) -> Trained:
    """Trains a job and evaluates it at the end.

    With a checkpoint directory that holds a checkpoint, training goes on from there to the same last step; a run that
    is complete already only evaluates.

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
    devices = tower_devices(settings.device, settings.towers, settings.soft_placement)
    config = make_config(settings)
    if settings.log_every < 1:
        raise ArgumentError("--log-every is {}: at least 1 is needed".format(settings.log_every))
    check_file("--trace", settings.trace)
    check_file("--plan-json", settings.plan_json)
    check_names(settings.variables, settings.reduction, devices)
    asked, job = job, with_choices(job, settings.variables, settings.reduction, devices)
    check_seconds(job, settings.auto_seconds)
    if settings.reduction is not None:
        check_for_parts(job, "--reduction")
    # What is chosen by measuring, "auto", never is asynchronous.
    apart = job.variables != AUTO and is_asynchronous(job, devices)
    # A step of asynchronous towers is the update of one tower.
    step_size = sizes.per_tower if apart else sizes.global_
    end = find_end(job, settings, step_size)
    source = make_input(job, settings)
    job, choice = settled(
        job, devices, sizes.per_tower, settings.auto_seconds, config, lambda line: print(line, file=stream)
    )
    if choice is not None:
        stream.write("{}\n".format(choice))
    with contextlib.ExitStack() as stack:
        directory = settings.checkpoint_dir
        if directory is None:
            directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="legacy-towers-"))
        resumed_from = latest_checkpoint(directory)
        with tf.Graph().as_default():
            step = build_job_step(job, source, devices)
            start = 0
            if resumed_from is not None:
                check_fits(resumed_from, by_checkpoint_name(tf.global_variables()))
                start = step_of(resumed_from)
            prepare_directory("--checkpoint-dir", directory)
            stream.writelines(note + "\n" for note in notes_on(asked, job, devices))
            stream.write(opening(name, step.plan, end, start, resumed_from, settings.checkpoint_dir))
            if settings.plan_json is not None:
                write_whole(settings.plan_json, step.plan.as_json() + "\n", "the plan")
            if full_plan:
                stream.write("\n{}\n\n".format(step.plan))
            progress = ProgressHook(
                step.loss, step.global_step, end.step, step_size, settings.log_every, stream, others_step=apart
            )
            stack.callback(progress.close)
            traced = min(_TRACED_STEP, end.step - start)
            trace = TraceHook(traced, settings.trace) if settings.trace is not None and traced > 0 else None
            interrupted = None
            # The hook that stops at the last step looks only after a step: a complete run must not take one more.
            if start < end.step:
                if step.asynchronous is not None:
                    step.asynchronous.stop_at(end.step)
                hooks = [tf.train.StopAtStepHook(last_step=end.step), progress] + ([trace] if trace else [])
                interrupted = _run(step, start, hooks, config, directory, settings.checkpoint_dir is not None)
        evaluation = None
        if job.test is not None and interrupted is None:
            evaluation = evaluate(job, directory, devices=devices, soft_placement=settings.soft_placement)
    overlap = trace.trace.overlap() if trace is not None and trace.trace is not None else None
    return Trained(
        plan=step.plan,
        resumed_from=resumed_from,
        steps=progress.steps,
        step=start + progress.steps,
        last_step=end.step,
        loss=progress.loss,
        examples_per_second=progress.examples_per_second,
        interrupted=interrupted,
        evaluation=evaluation,
        overlap=None if overlap is None else str(overlap),
        traced_step=None if overlap is None else start + traced,
        staleness=[] if step.asynchronous is None else [str(each) for each in step.asynchronous.staleness],
    )


def _run(
    step: TrainStep, start: int, hooks: List[Any], config: Any, directory: str, with_summaries: bool
) -> Optional[int]:
    """Runs all steps; returns the signal that ended them early, None without one."""
    tf.summary.scalar("global_loss", step.loss)
    for name, metric in step.metrics.items():
        tf.summary.scalar("global_" + name, metric)
    interrupt = InterruptHook()
    savers = []
    if step.asynchronous is not None:
        # In place of the session's own, which would save while the other towers write, and before they have ended.
        listeners = [step.asynchronous.pausing_listener()]
        savers.append(tf.train.CheckpointSaverHook(directory, save_secs=_SAVE_SECONDS, listeners=listeners))
    # The writer that MonitoredTrainingSession will use: TensorFlow keeps one per directory, and never ends its thread.
    writer = tf.summary.FileWriterCache.get(directory)
    writer.reopen()
    try:
        with naming_files(step.plan.input.source), tf.train.MonitoredTrainingSession(
            checkpoint_dir=directory,
            hooks=list(step.hooks) + hooks + [interrupt] + savers,
            config=config,
            save_checkpoint_secs=None if savers else _SAVE_SECONDS,
            save_summaries_steps=100 if with_summaries else None,
            save_summaries_secs=None,
            log_step_count_steps=None,
            stop_grace_period_secs=30,
        ) as session:
            for train_op in step.train_ops(start):
                if session.should_stop():
                    break
                session.run(train_op)
    finally:
        interrupt.restore()
        writer.close()
    return interrupt.signal
