"""Trains a job from its start, or from its newest checkpoint, to its end."""
import contextlib
import sys
import tempfile
from typing import List, NamedTuple, Optional, TextIO

from legacy_towers.compat import tf
from legacy_towers.data.skipping import SkippedRecords
from legacy_towers.errors import JobError
from legacy_towers.graph.session_check import check_devices_of
from legacy_towers.specs.keywords import AUTO
from legacy_towers.step import TrainStep
from legacy_towers.step.plan import Plan
from legacy_towers.text.files import write_whole
from legacy_towers.text.terminal import layout_of
from legacy_towers.training.auto import check_seconds, resolve_auto
from legacy_towers.training.building import announced_build, build_job_step
from legacy_towers.training.callbacks import CallbackGroup
from legacy_towers.training.checkpoints.fits import by_checkpoint_name, check_fits
from legacy_towers.training.checkpoints.input_position import resume_input
from legacy_towers.training.checkpoints.newest import warn_of_problems
from legacy_towers.training.checkpoints.options import CheckpointOptions
from legacy_towers.training.checkpoints.store import CheckpointStore
from legacy_towers.training.checkpoints.warm import WarmStarter
from legacy_towers.training.choices import (
    check_reduction_is_used,
    is_asynchronous,
    notes_on,
    with_choices,
)
from legacy_towers.training.devices import created_directory, missing_device_advice, tower_devices
from legacy_towers.training.evaluate import job_evaluator
from legacy_towers.training.evaluation_options import EvaluationOptions
from legacy_towers.training.evaluator import Evaluation, Evaluator
from legacy_towers.training.hooks.progress import ProgressHook
from legacy_towers.training.hooks.prometheus import PrometheusHook
from legacy_towers.training.job import Job
from legacy_towers.training.metrics_hooks import record_hooks, trace_hook
from legacy_towers.training.monitored_session import TrainingSession
from legacy_towers.training.overfitting import on_few_batches
from legacy_towers.training.run_setup import (
    batch_sizes,
    checkpoint_options,
    evaluation_options,
    find_end,
    make_config,
    make_input,
    metrics_options,
    remaining_end,
)
from legacy_towers.training.settings import TrainSettings, check_settings
from legacy_towers.training.start_message import start_message
from legacy_towers.training.warm_start import WarmStart


class Trained(NamedTuple):
    """The result of a training run.

    Attributes:
      plan: the plan of the step.
      resumed_from: the checkpoint from which the run resumed; None for a new run.
      steps: steps of this run.
      step: the global step at the end of this run.
      last_step: the global step at which training ends.
      loss: the loss over all towers at the last printed step; None if no step was run.
      examples_per_second: over all towers, without the first step; None if there was at most one step.
      interrupted: the number of the signal that ended the run early, SIGINT (Ctrl-C) or SIGTERM; None without one.
      skipped_steps: steps of this run that were skipped, since a loss or a gradient was NaN or infinite.
      restored: how often the variables were restored after a loss of NaN.
      evaluation: the evaluation on the test examples; None if the job has none, or the run was interrupted.
      stopped_early: a sentence on why training stopped before its last step; None if it did not.
      best: the best checkpoint and its metric, such as "run/model.ckpt-900 (accuracy 0.9889)"; None if none is kept.
      traces: a sentence per traced step on how much the towers ran at the same time.
      staleness: one sentence per tower on how stale its gradients were; [] unless towers train asynchronously.
      skipped: the training records that were skipped; None unless bad records are skipped.
    """

    plan: Plan
    resumed_from: Optional[str]
    steps: int
    step: int
    last_step: int
    loss: Optional[float]
    examples_per_second: Optional[float]
    interrupted: Optional[int]
    skipped_steps: int
    restored: int
    evaluation: Optional[Evaluation]
    stopped_early: Optional[str]
    best: Optional[str]
    traces: List[str]
    staleness: List[str]
    skipped: Optional[SkippedRecords]


def train(
    job: Job,
    settings: TrainSettings,
    stream: Optional[TextIO] = None,
    name: str = "job",
    full_plan: bool = False,
) -> Trained:
    """Trains a job and evaluates it at the end.

    If the checkpoint directory has a checkpoint, training resumes from it and ends at the same last step; a run that is
    complete only evaluates.

    Args:
      stream: where to print the plan and the progress; standard error by default.
      full_plan: whether to print the plan with its table of variables.

    Raises:
      UserError: the settings are wrong, or do not fit the job or this machine, or another run is using the checkpoint
        directory; nothing has been written then.
      SaveError: the last checkpoint can't be written.
      NanError: a loss or a variable is NaN or infinite; no checkpoint of that step is saved.
      RecordError: a record or a file of the data can't be read or parsed.
    """
    stream = stream or sys.stderr
    check_settings(settings)
    sizes = batch_sizes(job, settings)
    devices = tower_devices(settings.device, settings.towers, settings.soft_placement)
    config = make_config(settings)
    if settings.schedule is not None:
        job = job.replace(schedule=settings.schedule)
    if settings.skip_bad_records is not None:
        job = job.replace(train=job.train.skip_bad_records(settings.skip_bad_records))
    given, job = job, with_choices(job, settings.variables, settings.reduction, devices)
    check_seconds(job, settings.auto_seconds)
    options, evaluated = checkpoint_options(job, settings), evaluation_options(job, settings)
    if settings.reduction is not None:
        check_reduction_is_used(job, "--reduction")
    # "auto" never chooses asynchronous towers.
    asynchronous = job.variables != AUTO and is_asynchronous(job, devices)
    # With asynchronous towers, a step is the update of one tower.
    step_size = sizes.per_tower if asynchronous else sizes.global_
    job, settings, overfitting = on_few_batches(job, settings, None if asynchronous else sizes.global_)
    end = find_end(job, settings, step_size)
    if settings.on_nan == "skip":
        job = job.replace(skip_nonfinite=True)
    source = make_input(job, settings)
    records = metrics_options(job, settings)
    callbacks = CallbackGroup(job.callbacks)
    job, choice = resolve_auto(
        job, devices, sizes.per_tower, settings.auto_seconds, config, lambda line: print(line, file=stream)
    )
    if choice is not None:
        stream.write(choice.as_text(layout_of(stream)) + "\n")
    with contextlib.ExitStack() as stack:
        directory = settings.checkpoint_dir
        if directory is None:
            directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="legacy-towers-"))
        stack.enter_context(created_directory("--checkpoint-dir", directory))
        store = stack.enter_context(CheckpointStore(directory, options))
        newest = store.newest()
        resumed_from = newest.checkpoint
        warn_of_problems(newest)
        with tf.Graph().as_default():
            with announced_build(len(devices), stream):
                step = build_job_step(job, source, devices)
            evaluator = _evaluator(job, devices, settings, options, evaluated, stream)
            start = newest.step_to_resume()
            if resumed_from is not None:
                check_fits(resumed_from, by_checkpoint_name(tf.global_variables()))
                store.resumed = resume_input(step.loss.graph, resumed_from)
                end = remaining_end(job, settings, step_size, end, start, store.resumed)
            warm_start = settings.warm_start_value() or job.warm_start
            warm_started = _warm_started(warm_start, resumed_from)
            with tf.Session(graph=tf.Graph(), config=config) as session:
                check_devices_of(session, step.plan.devices, step.plan.uses(), missing_device_advice(settings))
            stream.writelines(note + "\n" for note in notes_on(given, job, devices))
            stream.write(start_message(
                name, step.plan, end, start, resumed_from, settings.checkpoint_dir, str(store.options),
                str(evaluated) if evaluated.is_given else "", store.resumed,
            ))
            if job.schedule is not None:
                stream.write("learning rate: {}\n".format(job.schedule))
            if records.prometheus_port is not None:
                stream.write("metrics for Prometheus: port {}\n".format(records.prometheus_port))
            stream.write(warm_started)
            stream.write(overfitting and overfitting + "\n")
            if settings.plan_json is not None:
                write_whole(settings.plan_json, step.plan.as_json() + "\n", "the plan")
            if full_plan:
                stream.write("\n{}\n\n".format(step.plan.as_text(layout_of(stream))))
            progress = ProgressHook(
                step.loss, step.global_step, end.step, step_size, settings.log_every, stream, others_step=asynchronous,
                skipped=job.train.skipped,
            )
            stack.callback(progress.close)
            trace = trace_hook(step, records, start, end.step)
            recording = record_hooks(step, records, settings.checkpoint_dir)
            for each in recording:
                if isinstance(each, PrometheusHook):
                    stack.callback(each.close)
            callbacks.add(recording)
            during = evaluator if evaluated.is_given else None

            def report(evaluation: Evaluation) -> None:
                assert running.evaluation is not None
                progress.evaluated(evaluation, running.evaluation.seconds)

            running = TrainingSession(
                step, store, hooks=job.hooks, callbacks=callbacks, last_step=end.step, config=config,
                reports=[progress] + ([trace] if trace else []) + recording,
                stall_seconds=settings.stall_seconds, on_stall=settings.on_stall,
                evaluator=during, evaluation=evaluated if during is not None else None, evaluation_listeners=[report],
                on_nan=settings.on_nan, nan_limit=settings.nan_limit, report_nan=progress.note,
                warm_start=warm_start,
            )
            if start < end.step:
                _run(step, start, running)
        newest_step = store.newest().step
        done = [] if running.evaluation is None else running.evaluation.evaluations
        stopped = None if running.evaluation is None else running.evaluation.stopped
        evaluation = done[-1] if done and done[-1].step == newest_step else None
        if job.test is not None and running.interrupted is None and evaluation is None:
            if evaluator is None:
                evaluator = job_evaluator(job, devices=devices, soft_placement=settings.soft_placement, stream=stream)
            evaluation = evaluator.evaluate(directory)
            store.evaluated(evaluation.step, evaluation.metrics)
            callbacks.evaluated(evaluation.step, evaluation.metrics)
        best = store.best() if settings.checkpoint_dir is not None else None
        callbacks.ended(start + progress.steps)
    return Trained(
        plan=step.plan,
        resumed_from=resumed_from,
        steps=progress.steps,
        step=start + progress.steps,
        last_step=end.step,
        loss=progress.loss,
        examples_per_second=progress.examples_per_second,
        interrupted=running.interrupted,
        skipped_steps=0 if running.guard is None else running.guard.skipped,
        restored=0 if running.guard is None else running.guard.restored,
        evaluation=evaluation,
        stopped_early=None if stopped is None else str(stopped),
        best=None if best is None else best.described(directory),
        traces=[] if trace is None else trace.sentences(),
        staleness=[] if step.asynchronous is None else [str(each) for each in step.asynchronous.staleness],
        skipped=job.train.skipped,
    )


def _evaluator(
    job: Job, devices: List[str], settings: TrainSettings, checkpoints: CheckpointOptions,
    evaluation: EvaluationOptions, stream: TextIO
) -> Optional[Evaluator]:
    """Returns what evaluates during training; None if the test examples are evaluated at the end only.

    Raises:
      ArgumentError: an evaluation does not have the metric of --keep-best or --stop-early.
      JobError: there is to be an evaluation, and the job has no test examples.
    """
    best = checkpoints.best()
    if best is not None and job.test is None:
        raise JobError("--keep-best needs an evaluation, and the job has no test examples: give lt.Job(test=...)")
    if best is None and not evaluation.is_given:
        return None
    evaluator = job_evaluator(job, devices=devices, soft_placement=settings.soft_placement, stream=stream)
    early = evaluation.early_stopping()
    if early is not None:
        evaluator.check_metric("--stop-early {}".format(early.by), early.metric)
    if best is not None:
        evaluator.check_metric("--keep-best {}:{}".format(*best), best[1])
    return evaluator


def _warm_started(warm_start: Optional[WarmStart], resumed_from: Optional[str]) -> str:
    """Returns lines on what a warm start does; "" without one.

    Raises:
      UserError: it can't be applied.
    """
    if warm_start is None:
        return ""
    if resumed_from is None:
        return "{}\n".format(WarmStarter(warm_start).report)
    return "warm start: {} is not used, since the run resumes from {}\n".format(warm_start.checkpoint, resumed_from)


def _run(step: TrainStep, start: int, running: TrainingSession) -> None:
    """Runs all steps."""
    with running as session:
        for train_op in step.train_ops(start):
            if session.should_stop():
                break
            session.run(train_op)
