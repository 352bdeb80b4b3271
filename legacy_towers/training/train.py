"""Trains a job from its start, or from its newest checkpoint, to its end."""
import contextlib
import functools
import os
import sys
import tempfile
from typing import Optional, TextIO

from legacy_towers.compat import tf
from legacy_towers.text.files import write_whole
from legacy_towers.text.terminal import layout_of
from legacy_towers.training.checkpoints.ended import Ended, remove_ended, write_ended
from legacy_towers.training.checkpoints.store import CheckpointStore
from legacy_towers.training.choices import notes_on
from legacy_towers.training.devices import created_directory
from legacy_towers.training.evaluation.evaluate import job_evaluator
from legacy_towers.training.evaluation.evaluator import Evaluation
from legacy_towers.training.evaluation.history import evaluations_folder, read_history
from legacy_towers.training.evaluation.stop_request import remove_stop_request
from legacy_towers.training.job import Job
from legacy_towers.training.runs.built import BuiltRun, build_run
from legacy_towers.training.runs.prepared import PreparedRun, prepare
from legacy_towers.training.runs.session import SessionOfRun, session_of
from legacy_towers.training.runs.start_message import start_message
from legacy_towers.training.runs.trained import Trained
from legacy_towers.training.runs.workers import ClusterOfRun, common_flags, stream_of
from legacy_towers.training.settings import TrainSettings


def train(
    job: Job,
    settings: TrainSettings,
    stream: Optional[TextIO] = None,
    name: str = "job",
    full_plan: bool = False,
    cluster: Optional[ClusterOfRun] = None,
) -> Trained:
    """Trains a job and evaluates it at the end.

    If the checkpoint directory has a checkpoint, training resumes from it and ends at the same last step; a run that is
    complete only evaluates.

    Args:
      stream: where to print the plan and the progress; standard error by default.
      full_plan: whether to print the plan with its table of variables.
      cluster: the cluster of which this process is a worker: all train the job together, and the chief saves, evaluates
        and prints; the others print one line at their start. None for one process.

    Raises:
      UserError: the settings are wrong, or do not fit the job or this machine, or another run is using the checkpoint
        directory; nothing has been written then.
      SaveError: the last checkpoint can't be written.
      NanError: a loss or a variable is NaN or infinite; no checkpoint of that step is saved.
      RecordError: a record or a file of the data can't be read or parsed.
    """
    stream = stream or sys.stderr
    run = prepare(job, settings, stream, None if cluster is None else cluster.cluster)
    own, stream = stream, stream_of(run.is_chief, stream)
    target = ""
    with contextlib.ExitStack() as stack:
        store = _opened_store(run, stack)
        has_evaluator = settings.evaluator and run.is_chief
        if has_evaluator:
            remove_ended(store.directory)
            folder = evaluations_folder(store.directory)
            remove_stop_request(folder)
            store.follow_evaluations(functools.partial(read_history, folder))
        if cluster is not None:
            server = cluster.start(run.config, common_flags(settings, store.newest().step))
            target = server.target
        with tf.Graph().as_default():
            built = build_run(run, store, stream)
            _print_start(name, run, built, store, stream)
            _give_plan(built, run.settings, full_plan, stream, run.is_chief)
            if cluster is not None and not run.is_chief and built.start < built.end.step:
                own.write("{} trains from step {} to {}; {} prints the progress\n".format(
                    cluster.cluster.task, built.start + 1, built.end.step, cluster.cluster.chief
                ))
            session = session_of(run, built, store, stream, stack, target)
            session.run(built)
        evaluation = None
        if has_evaluator:
            write_ended(store, Ended(built.start + session.progress.steps, session.session.interrupted or 0))
        else:
            evaluation = _evaluation_at_end(run, built, session, store, stream)
        keeps_best = settings.checkpoint_dir is not None and run.is_chief and not has_evaluator
        best = store.best() if keeps_best else None
        run.callbacks.ended(built.start + session.progress.steps)
    return _result(run, built, session, evaluation, None if best is None else best.described(store.directory))


def _opened_store(run: PreparedRun, stack: contextlib.ExitStack) -> CheckpointStore:
    """Returns the checkpoints of the run, in a temporary directory if none is kept; `stack` closes them.

    A worker that is not the chief only reads those of the chief, whose directory it must see.
    """
    directory = run.settings.checkpoint_dir
    if directory is None or not run.is_chief and not os.path.isdir(directory):
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="legacy-towers-"))
    if not run.is_chief:
        return CheckpointStore(directory, run.checkpoints)
    stack.enter_context(created_directory("--checkpoint-dir", directory))
    return stack.enter_context(CheckpointStore(directory, run.checkpoints))


def _print_start(name: str, run: PreparedRun, built: BuiltRun, store: CheckpointStore, stream: TextIO) -> None:
    """Prints what the run does, before its first step."""
    stream.writelines(note + "\n" for note in notes_on(run.given, run.job, run.devices))
    stream.write(start_message(
        name, built.step.plan, built.end, built.start, built.resumed_from, run.settings.checkpoint_dir,
        str(store.options), str(run.evaluation) if run.evaluation.is_given else "", store.resumed,
    ))
    if run.job.schedule is not None:
        stream.write("learning rate: {}\n".format(run.job.schedule))
    if run.records.prometheus_port is not None:
        stream.write("metrics for Prometheus: port {}\n".format(run.records.prometheus_port))
    stream.write(built.warm_started)
    stream.write(run.overfitting and run.overfitting + "\n")


def _give_plan(
    built: BuiltRun, settings: TrainSettings, full_plan: bool, stream: TextIO, is_chief: bool
) -> None:
    """Writes and prints the plan, where that is asked for."""
    if settings.plan_json is not None and is_chief:
        write_whole(settings.plan_json, built.step.plan.as_json() + "\n", "the plan")
    if full_plan:
        stream.write("\n{}\n\n".format(built.step.plan.as_text(layout_of(stream))))


def _evaluation_at_end(
    run: PreparedRun, built: BuiltRun, session: SessionOfRun, store: CheckpointStore, stream: TextIO
) -> Optional[Evaluation]:
    """Returns the evaluation of the newest checkpoint; None without test examples, or after an interruption."""
    if not run.is_chief:
        return None
    done = session.evaluations()
    if done and done[-1].step == store.newest().step:
        return done[-1]
    if run.job.test is None or session.session.interrupted is not None:
        return None
    evaluator = built.evaluator or job_evaluator(
        run.job, devices=run.devices, soft_placement=run.settings.soft_placement, stream=stream
    )
    evaluation = evaluator.evaluate(store.directory)
    store.evaluated(evaluation.step, evaluation.metrics)
    run.callbacks.evaluated(evaluation.step, evaluation.metrics)
    return evaluation


def _result(
    run: PreparedRun, built: BuiltRun, session: SessionOfRun, evaluation: Optional[Evaluation], best: Optional[str]
) -> Trained:
    step, progress, guard = built.step, session.progress, session.session.guard
    return Trained(
        plan=step.plan,
        resumed_from=built.resumed_from,
        steps=progress.steps,
        step=built.start + progress.steps,
        last_step=built.end.step,
        loss=progress.loss,
        loss_step=progress.loss_step,
        examples_per_second=progress.examples_per_second,
        interrupted=session.session.interrupted,
        skipped_steps=0 if guard is None else guard.skipped,
        restored=0 if guard is None else guard.restored,
        evaluation=evaluation,
        stopped_early=session.stopped_early(built.start + progress.steps),
        best=best,
        traces=[] if session.trace is None else session.trace.sentences(),
        staleness=[] if step.asynchronous is None else [str(each) for each in step.asynchronous.staleness],
        skipped=run.job.train.skipped,
        towers=run.towers,
        late=str(step.stop_hook) if run.settings.backup_workers else None,
    )
