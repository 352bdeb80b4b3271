"""Tries everything that a run will do, in two steps, before it takes days."""
import contextlib
import io
import os
import tempfile
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional

from legacy_towers.compat import tf
from legacy_towers.errors import JobError, RunError, UserError
from legacy_towers.specs.keywords import AUTO
from legacy_towers.step.plan import Plan
from legacy_towers.training.callbacks import Callback
from legacy_towers.training.checkpoints.manifest import read_manifest
from legacy_towers.training.formatting import format_number
from legacy_towers.training.job import Job
from legacy_towers.training.runs.setup import batch_sizes, metrics_options
from legacy_towers.training.settings import TrainSettings
from legacy_towers.training.train import train
from legacy_towers.training.trial import EVALUATED, copy_newest, planned_end

_AUTO_SECONDS = 1.0


class FastDevRun(NamedTuple):
    """The result of a fast dev run that did not fail.

    Attributes:
      checked: what was checked, one line each, as it was printed.
      plan: the plan of the step.
      interrupted: the number of the signal that ended it early; None without one.
    """

    checked: List[str]
    plan: Plan
    interrupted: Optional[int]


def fast_dev_run(job: Job, settings: TrainSettings, print_fn: Callable[[str], None], name: str = "job") -> FastDevRun:
    """Runs a job for two steps, with a checkpoint, an evaluation and a restore between them, and keeps nothing.

        train step 1  ->  checkpoint  ->  evaluation  ->  a new graph and session, restored  ->  train step 2

    All is as in the run that `settings` describe: towers, input, hooks, callbacks, what is written. But files are in a
    temporary directory, intervals are one step, and the evaluation is of the first 200 test examples per tower. If
    the checkpoint directory has a checkpoint, the first step continues from a copy of it, as the run would.

    Args:
      print_fn: called with one line for each thing that was checked.
      name: the name of the job.

    Raises:
      RunError: something failed; the message says what, and why. Errors of the job's own code are raised as they are.
    """
    checks = _Checks(print_fn)
    with tempfile.TemporaryDirectory(prefix="legacy-towers-") as folder, checks.failing():
        end = planned_end(job, settings)
        directory = os.path.join(folder, "run")
        start = copy_newest(settings.checkpoint_dir, directory)
        checks.passed("the plan of the run", "{} steps{}, {:,} examples per step of all towers".format(
            end.step, end.reason and " ({})".format(end.reason), batch_sizes(job, settings).global_
        ), "building and running step {}".format(start + 1))
        if start:
            checks.resumed("the checkpoint of step {} in {}".format(start, settings.checkpoint_dir))
        job = job.replace(
            test=None if job.test is None else job.test.take(EVALUATED * settings.towers),
            callbacks=list(job.callbacks) + [_Noting(checks)],
        )
        for step in (start + 1, start + 2):
            checks.step = step
            trained = train(job, _tried(job, settings, folder, directory, step), io.StringIO(), name)
            if trained.interrupted is not None:
                break
            if trained.step != step:
                raise JobError("training ended at step {} instead of step {}".format(trained.step, step))
            checks.resumed("its own checkpoint, of step {}".format(step))
    return FastDevRun(checks.lines, trained.plan, trained.interrupted)


def _tried(job: Job, settings: TrainSettings, folder: str, directory: str, step: int) -> TrainSettings:
    """Returns the settings of a run that ends at a step, whose files are in a folder."""
    changes: Dict[str, Any] = {
        "steps": step, "epochs": None, "checkpoint_dir": directory, "save_steps": 1, "save_seconds": None,
        "evaluate_steps": None if job.test is None else 1, "evaluate_seconds": None,
    }
    for name, path in (("trace", settings.trace or job.metrics.trace), ("plan_json", settings.plan_json)):
        if path is not None:
            changes[name] = os.path.join(folder, name + os.path.splitext(path)[1])
    # Whatever is recorded every N steps is recorded in each.
    records = metrics_options(job, settings)
    changes["log_every"] = 1
    changes["summary_every"] = min(1, records.summary_every)
    changes["metrics_every"] = min(1, records.metrics_every)
    if records.trace_steps is not None:
        changes["trace_steps"] = str(step)
    if AUTO in (settings.variables or job.variables, settings.reduction or job.reduction):
        changes["auto_seconds"] = min(settings.auto_seconds or _AUTO_SECONDS, _AUTO_SECONDS)
    return settings._replace(**changes)


class _Checks:
    """What was checked, and what is being checked."""

    def __init__(self, print_fn: Callable[[str], None]) -> None:
        self.lines: List[str] = []
        self.step = 0
        self._print = print_fn
        self._current = "the plan of the run"
        self._resumed = ""
        self._seen: List[str] = []

    def passed(self, what: str, result: str, following: str) -> None:
        """Prints that something works; notes what is checked now."""
        self._current = following
        if what not in self._seen:
            self._seen.append(what)
            self._add("ok      {}: {}".format(what, result))

    def resumed(self, checkpoint: str) -> None:
        """Notes from what the next step resumes."""
        self._resumed = checkpoint
        self._current = "the restore of {}".format(checkpoint)

    def trained(self, step: int, loss: float) -> None:
        if self._resumed:
            self.passed("restore", "from " + self._resumed, "")
            self._seen.remove("restore")
            self._resumed = ""
        self.passed("step {}".format(step), "loss {}".format(format_number(loss)), "the checkpoint of step {}".format(
            step
        ))

    @contextlib.contextmanager
    def failing(self) -> Iterator[None]:
        """Returns a context manager that reports an error with what was being checked."""
        try:
            yield
        except (UserError, RunError, tf.errors.OpError) as error:
            self._add("failed  {}".format(self._current))
            message = error.message if isinstance(error, tf.errors.OpError) else str(error)
            raise RunError("the fast dev run failed at {}: {}".format(self._current, message)) from error
        except Exception:
            self._add("failed  {}".format(self._current))
            raise

    def _add(self, line: str) -> None:
        self.lines.append(line)
        self._print(line)


class _Noting(Callback):
    """Notes each thing that works."""

    def __init__(self, checks: _Checks) -> None:
        self._checks = checks

    def on_step_end(self, step: int, loss: float) -> None:
        self._checks.trained(step, loss)

    def on_checkpoint(self, step: int, path: str) -> None:
        size = read_manifest(path).size
        if step == self._checks.step:  # not that of the start, which becomes visible at some time
            self._checks.passed(
                "checkpoint", "{:,} bytes, written and verified".format(size), "the evaluation of step {}".format(step)
            )

    def on_evaluation(self, step: int, metrics: Mapping[str, float]) -> None:
        shown = ", ".join("{} {}".format(name, format_number(metrics[name])) for name in sorted(metrics))
        self._checks.passed("evaluation", shown, "the end of step {}".format(step))
