"""Trains a job for some steps, in a temporary folder, and records what its sessions do."""
import io
import os
import tempfile
import threading
from typing import Any, Callable, Dict, NamedTuple, Optional

from legacy_towers.compat.tf1 import user_script
from legacy_towers.run.runtime import options
from legacy_towers.run.runtime.observation import Observer
from legacy_towers.training.hooks.signal_watch import interruptible
from legacy_towers.training.job import Job
from legacy_towers.training.settings import TrainSettings
from legacy_towers.training.train import train
from legacy_towers.training.trial import EVALUATED, copy_newest, planned_end


class JobRun(NamedTuple):
    """A job that was trained for some steps.

    Attributes:
      observer: what its sessions did.
      interrupted: the number of the signal that ended it early; None without one.
    """

    observer: Observer
    interrupted: Optional[int]


def train_observed(
    job: Job, settings: TrainSettings, name: str, steps: int, arguments: Any, watch: Callable[[Observer], None]
) -> JobRun:
    """Trains a job for at most `steps` steps, and evaluates it on 200 test examples per tower.

    All is as in the run that `settings` describe, but files are in a temporary folder, and nothing is kept. If the
    checkpoint directory has a checkpoint, training continues from a copy of it.

    Args:
      name: the name of the job.
      arguments: a namespace with the options of `run.runtime.options`, where it has any.
      watch: called with the observer in a thread, while the job trains.

    Raises:
      UserError: the settings don't fit the job.
      RunError: training fails.
    """
    run = user_script.ScriptRun(name, os.getcwd())
    observer = Observer()
    user_script.begin(run)
    try:
        with options.prepare(arguments, run), tempfile.TemporaryDirectory(prefix="legacy-towers-") as folder:
            run.runtime.start()
            run.runtime.observer = observer
            threading.Thread(target=watch, args=(observer,), daemon=True).start()
            tried = _tried(job, settings, folder, steps)
            job = job.replace(
                test=None if job.test is None else job.test.take(EVALUATED * settings.towers),
                metrics=job.metrics._replace(prometheus_port=None, trace=None, trace_steps=None),
            )
            with interruptible():
                return JobRun(observer, train(job, tried, io.StringIO(), name).interrupted)
    finally:
        user_script.end()


def _tried(job: Job, settings: TrainSettings, folder: str, steps: int) -> TrainSettings:
    """Returns the settings of a run of at most `steps` steps, whose files are in a folder."""
    changes: Dict[str, Any] = {
        "epochs": None, "prometheus_port": None, "trace": None, "trace_steps": None, "plan_json": None,
    }
    start = 0
    if settings.checkpoint_dir is not None:
        changes["checkpoint_dir"] = os.path.join(folder, "run")
        start = copy_newest(settings.checkpoint_dir, changes["checkpoint_dir"])
    changes["steps"] = min(start + steps, planned_end(job, settings).step)
    return settings._replace(**changes)
