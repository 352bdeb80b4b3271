"""The graph of a training run, and the checkpoint from which it resumes: built and checked, nothing has been run."""
from typing import NamedTuple, Optional, TextIO

from legacy_towers.compat import tf
from legacy_towers.errors import JobError
from legacy_towers.graph.session_check import check_devices_of
from legacy_towers.inputs.count_steps import position_of
from legacy_towers.step import TrainStep
from legacy_towers.training.building import announced_build, build_job_step
from legacy_towers.training.checkpoints.fits import by_checkpoint_name, check_fits
from legacy_towers.training.checkpoints.input_position import resume_input
from legacy_towers.training.checkpoints.newest import warn_of_problems
from legacy_towers.training.checkpoints.store import CheckpointStore
from legacy_towers.training.checkpoints.warm import WarmStarter
from legacy_towers.training.devices import missing_device_advice
from legacy_towers.training.evaluation.evaluate import job_evaluator
from legacy_towers.training.evaluation.evaluator import Evaluator
from legacy_towers.training.runs.prepared import PreparedRun
from legacy_towers.training.runs.setup import End, remaining_end
from legacy_towers.training.runs.workers import check_elastic_input
from legacy_towers.training.warm_start import WarmStart


class BuiltRun(NamedTuple):
    """A training run whose graph is built.

    Attributes:
      step: the train step, of the default graph.
      evaluator: what evaluates; None if the test examples are evaluated at the end only.
      resumed_from: the checkpoint from which the run resumes; None for a new run.
      start: the global step before the first step of this run.
      end: where training ends.
      warm_start: where initial values come from; None for the job's initializers.
      warm_started: lines on what the warm start does; "" without one.
    """

    step: TrainStep
    evaluator: Optional[Evaluator]
    resumed_from: Optional[str]
    start: int
    end: End
    warm_start: Optional[WarmStart]
    warm_started: str


def build_run(run: PreparedRun, store: CheckpointStore, stream: TextIO) -> BuiltRun:
    """Builds the step of a run into the default graph.

    Raises:
      UserError: the newest checkpoint or the warm start does not fit, the machine lacks a device, or an evaluation
        lacks what the options need.
    """
    newest = store.newest()
    warn_of_problems(newest)
    with announced_build(len(run.devices), stream):
        step = build_job_step(
            run.job, run.source, run.devices, cluster=run.cluster, backup_workers=run.settings.backup_workers
        )
    if run.settings.elastic is not None:
        check_elastic_input(run.settings.elastic, position_of(step.loss.graph), run.is_asynchronous)
    evaluator = _evaluator(run, stream)
    start, end = newest.step_to_resume(), run.end
    if newest.checkpoint is not None:
        check_fits(newest.checkpoint, by_checkpoint_name(tf.global_variables()))
        store.resumed = resume_input(step.loss.graph, newest.checkpoint)
        end = remaining_end(run.job, run.settings, run.step_size, end, start, store.resumed)
    # The others get the chief's initial values.
    warm_start = (run.settings.warm_start_value() or run.job.warm_start) if run.is_chief else None
    warm_started = _warm_started(warm_start, newest.checkpoint)
    if run.cluster is not None:
        # The devices are those of the server: the session's hooks check them.
        return BuiltRun(step, evaluator, newest.checkpoint, start, end, warm_start, warm_started)
    with tf.Session(graph=tf.Graph(), config=run.config) as session:
        check_devices_of(session, step.plan.devices, step.plan.uses(), missing_device_advice(run.settings))
    return BuiltRun(step, evaluator, newest.checkpoint, start, end, warm_start, warm_started)


def _evaluator(run: PreparedRun, stream: TextIO) -> Optional[Evaluator]:
    """Returns what evaluates during training; None if the test examples are evaluated at the end only.

    Raises:
      ArgumentError: an evaluation does not have the metric of --keep-best or --stop-early.
      JobError: there is to be an evaluation, and the job has no test examples.
    """
    best = run.checkpoints.best()
    # Stopping early keeps the best checkpoint too; with an evaluator, the chief does no more than that.
    option = "--keep-best or --stop-early"
    if run.settings.keep_best or run.settings.stop_early:
        option = "--keep-best" if run.settings.keep_best else "--stop-early"
    if best is not None and run.job.test is None:
        raise JobError("{} needs an evaluation, and the job has no test examples: give lt.Job(test=...)".format(option))
    if best is None and not run.evaluation.is_given:
        return None
    evaluator = job_evaluator(run.job, devices=run.devices, soft_placement=run.settings.soft_placement, stream=stream)
    early = run.evaluation.early_stopping()
    if early is not None:
        evaluator.check_metric("--stop-early {}".format(early.by), early.metric)
    if best is not None:
        evaluator.check_metric("{} {}:{}".format(option, *best), best[1])
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
