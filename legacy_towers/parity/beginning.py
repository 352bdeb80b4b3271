"""Several runs of a job that begin from the same values: the first writes its own into a file, and all take these."""
import contextlib
import os
from typing import Any, Callable, Iterator, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.inputs.base import Input
from legacy_towers.jobs import Job
from legacy_towers.parity.arrays_file import read_arrays, write_arrays
from legacy_towers.parity.whole_values import WholeValues
from legacy_towers.step import TrainStep
from legacy_towers.training.building import build_job_step


@contextlib.contextmanager
def begun_from(
    values_path: str,
    job: Job,
    source: Input,
    devices: Sequence[str],
    config: Any,
    model_fn: Optional[Callable[[Any, str], Any]] = None,
) -> Iterator[Tuple[TrainStep, Any]]:
    """Returns a context manager over a job's step and a session, in a graph of their own, before the first step.

    Args:
      values_path: a file with the variables' values, by the names that a checkpoint has; this run's own are written to
        it if it isn't there yet. What it doesn't hold, such as what a reduction remembers, begins as it is.
      job: the job, with its strategy and its reduction.
      source: the way in.
      devices: one device string per tower.
      config: the session's tf.ConfigProto.
      model_fn: in place of the job's own.
    """
    with tf.Graph().as_default():
        step = build_job_step(job, source, devices, model_fn)
        values = WholeValues()
        with tf.Session(config=config) as session:
            session.run(tf.global_variables_initializer())
            if not os.path.exists(values_path):
                write_arrays(values_path, values.read(session))
            values.write(session, read_arrays(values_path))
            yield step, session
