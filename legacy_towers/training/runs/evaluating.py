"""The evaluator of a training run over workers: a process that evaluates each checkpoint while the others train."""
import contextlib
import os
import time
from typing import Any, Callable, List, NamedTuple, Optional, Set, TextIO

from legacy_towers.cluster.watch import Watch
from legacy_towers.compat import tf
from legacy_towers.errors import JobError, MissingTaskError
from legacy_towers.training.checkpoints import files
from legacy_towers.training.checkpoints.best import read_best, update_best
from legacy_towers.training.checkpoints.ended import read_ended
from legacy_towers.training.checkpoints.newest import list_checkpoints
from legacy_towers.training.checkpoints.options import CheckpointOptions
from legacy_towers.training.checkpoints.store import CheckpointStore
from legacy_towers.training.checkpoints.verify import damage
from legacy_towers.training.devices import created_directory, tower_devices
from legacy_towers.training.evaluation.evaluate import job_evaluator
from legacy_towers.training.evaluation.evaluator import Evaluation, Evaluator
from legacy_towers.training.evaluation.history import evaluations_folder, read_history, write_history
from legacy_towers.training.evaluation.options import EarlyStopping
from legacy_towers.training.evaluation.stop_request import write_stop_request
from legacy_towers.training.job import Job
from legacy_towers.training.metrics.file import append, rewind, to_line
from legacy_towers.training.metrics.hooks import METRICS_FILE
from legacy_towers.training.runs.workers import check_evaluator, options_of_evaluator
from legacy_towers.training.settings import TrainSettings, check_settings

_POLL_SECONDS = 0.5


class Evaluated(NamedTuple):
    """The result of an evaluator.

    Attributes:
      evaluations: of this run's checkpoints, in the order of the steps, those before a restart included.
      best: the best checkpoint and its metric, such as "run/model.ckpt-900 (accuracy 0.9889)"; None if none is kept.
      interrupted: the number of the signal that ended the training early; None without one.
    """

    evaluations: List[Evaluation]
    interrupted: Optional[int]
    best: Optional[str] = None


def evaluate_run(
    job: Job, settings: TrainSettings, stream: TextIO, wait_for_chief: Callable[[Callable[[], bool]], Optional[Watch]],
    report: Callable[[Evaluation], None],
) -> Evaluated:
    """Evaluates each checkpoint that the chief saves, in the order of the steps, and returns after the last one.

    The evaluations are in the folder eval of the checkpoint directory: evaluations.json, metrics.jsonl and summaries
    for TensorBoard. Those that are there are not made again. A checkpoint that the chief has removed meanwhile is
    reported and left out. By the evaluations the chief keeps the best checkpoint, and stops early if it is asked to.

    Args:
      stream: where to print what is not evaluated, and from where a restarted evaluator goes on.
      wait_for_chief: returns when the training has started; takes a function that returns whether it has ended. See
        `cluster.chief.wait_for_chief`.
      report: called with each evaluation of this process, as soon as its checkpoint is evaluated.

    Raises:
      UserError: the settings are wrong, do not fit the job or this machine, or contradict the chief's; or another
        evaluator uses the folder.
      MissingTaskError: the chief does not start, or ends without an end of the training.
      SaveError: the evaluations can't be written.
    """
    check_settings(settings)
    check_evaluator(job, settings)
    checkpoints, early = options_of_evaluator(job, settings)
    directory = settings.checkpoint_dir
    assert directory is not None
    devices = tower_devices(settings.device, settings.towers, settings.soft_placement)
    evaluator = job_evaluator(job, devices=devices, soft_placement=settings.soft_placement, stream=stream)
    if early is not None:
        evaluator.check_metric("--stop-early {}".format(early.by), early.metric)
    best = checkpoints.best()
    if best is not None:
        evaluator.check_metric("--keep-best {}:{}".format(*best), best[1])
    watch = wait_for_chief(lambda: read_ended(directory) is not None)
    folder = evaluations_folder(directory)
    with contextlib.ExitStack() as stack:
        if watch is not None:
            stack.callback(watch.stop)
        stack.enter_context(created_directory("--checkpoint-dir", folder))
        store = stack.enter_context(CheckpointStore(folder, CheckpointOptions()))
        evaluating = _Evaluating(directory, evaluator, store, stream, early, report)
        interrupted = evaluating.until_the_end(watch)
        if checkpoints.keep_best is None:
            return Evaluated(evaluating.evaluations, interrupted)
        # The chief has removed what it removes.
        update_best(directory, checkpoints.keep_best, evaluating.evaluations)
        kept = read_best(directory, checkpoints.keep_best)
        return Evaluated(evaluating.evaluations, interrupted, None if kept is None else kept.described(directory))


class _Evaluating:
    """The evaluations of the checkpoints of a directory."""

    def __init__(
        self, directory: str, evaluator: Evaluator, store: CheckpointStore, stream: TextIO,
        early: Optional[EarlyStopping], report: Callable[[Evaluation], None],
    ) -> None:
        self._directory = directory
        self._evaluator = evaluator
        self._store = store
        self._stream = stream
        self._early = early
        self._report = report
        self._is_stop_requested = False
        newest = max([each.step or 0 for each in list_checkpoints(directory)], default=0)
        # A run that resumes saves, and evaluates, later steps again.
        self.evaluations = read_history(store.directory, newest)
        if not files.is_remote(store.directory):
            rewind(os.path.join(store.directory, METRICS_FILE), newest)
        self._done: Set[int] = {each.step for each in self.evaluations}
        if self.evaluations:
            self._print("the evaluations before step {:,} are those of an earlier evaluator of this run; checkpoints "
                        "that were removed since then are not evaluated".format(self.evaluations[-1].step + 1))

    def until_the_end(self, watch: Optional[Watch]) -> Optional[int]:
        """Evaluates until the training has ended, and all its checkpoints are evaluated.

        Returns:
          The number of the signal that ended the training early; None without one.
        """
        while True:
            self._request_stop()
            # Both before the checkpoints are listed: the last one is there then.
            silent = [] if watch is None else watch.silent()
            ended = read_ended(self._directory)
            for name, step in self._new():
                self._evaluate(os.path.join(self._directory, name), step)
                self._request_stop()
            if ended is not None:
                return ended.signal or None
            missing = [each for each in silent if each.is_missing]
            if missing:
                raise MissingTaskError("the evaluator waits for checkpoints of {}".format(missing[0]))
            time.sleep(_POLL_SECONDS)

    def _request_stop(self) -> None:
        stopped = None if self._early is None else self._early.stopped(self.evaluations)
        if stopped is not None and not self._is_stop_requested:
            write_stop_request(self._store, stopped)
            self._is_stop_requested = True

    def _new(self) -> List[Any]:
        found = [(each.name, each.step) for each in list_checkpoints(self._directory) if each.step is not None]
        return sorted((each for each in found if each[1] not in self._done), key=lambda each: each[1])

    def _evaluate(self, checkpoint: str, step: int) -> None:
        self._done.add(step)
        try:
            wrong = damage(checkpoint)
            if not wrong:
                self._record(self._evaluator.evaluate(checkpoint))
                return
        except (JobError, tf.errors.OpError, OSError) as error:
            if files.exists(checkpoint + ".index"):
                raise
            wrong = str(error)
        if files.exists(checkpoint + ".index"):
            self._print("the checkpoint {} is not evaluated: {}".format(checkpoint, wrong))
        else:
            self._print("the checkpoint of step {:,} is not evaluated: it was removed before that; --keep keeps "
                        "more".format(step))

    def _record(self, evaluation: Evaluation) -> None:
        self.evaluations.append(evaluation)
        write_history(self._store, self.evaluations)
        metrics = {name: float(evaluation.metrics[name]) for name in sorted(evaluation.metrics)}
        if not files.is_remote(self._store.directory):
            append(os.path.join(self._store.directory, METRICS_FILE), to_line({
                "step": evaluation.step, "time": round(time.time(), 3), "evaluation": metrics,
            }))
        # TensorBoard reads files in the order of their names, which begin with the time in seconds.
        writer = tf.summary.FileWriter(self._store.directory, filename_suffix=".{:012d}".format(evaluation.step))
        writer.add_summary(tf.Summary(value=[
            tf.Summary.Value(tag="evaluation/" + name, simple_value=value) for name, value in metrics.items()
        ]), evaluation.step)
        writer.close()
        self._report(evaluation)

    def _print(self, line: str) -> None:
        self._stream.write(line + "\n")
        self._stream.flush()
