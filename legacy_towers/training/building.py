"""Builds the train step of a job, for training, comparisons and parity."""
import contextlib
import threading
from typing import Any, Callable, Iterator, Optional, Sequence, TextIO

from legacy_towers import inputs
from legacy_towers.cluster.value import Cluster
from legacy_towers.step import TrainStep, build_train_step
from legacy_towers.step.before_start import check_before_start
from legacy_towers.training.choices import reduction_of, strategy_of
from legacy_towers.training.job import Job
from legacy_towers.training.job_optimizer import optimizer_of

_ANNOUNCED_AFTER_SECONDS = 2.0


def build_job_step(
    job: Job, source: inputs.Input, devices: Sequence[str], model_fn: Optional[Callable[[Any, str], Any]] = None,
    cluster: Optional[Cluster] = None, backup_workers: int = 0,
) -> TrainStep:
    """Builds the train step of a job in the default graph, with the step options of the job.

    Args:
      model_fn: replaces the model function of the job, for example by one that takes a part of the batch.
      cluster: the cluster of which this process is a worker; None for one process.
      backup_workers: how many workers a synchronous update over parameter servers does not wait for.

    Raises:
      UserError: the strategy or the reduction of the job is unknown, or its step can't be built.
    """
    return build_train_step(
        model_fn or job.model_fn,
        source,
        optimizer_of(job, len(devices) * (1 if cluster is None else cluster.workers)),
        devices,
        cluster=cluster,
        **dict(
            job.step_options,
            variables=_variables_of(job, devices, cluster),
            reduction=reduction_of(job),
            backup_workers=backup_workers,
        )
    )


def check_job_step(
    job: Job, source: inputs.Input, devices: Sequence[str], cluster: Cluster, backup_workers: int
) -> None:
    """Raises what `build_job_step` would raise over workers, as far as no graph is needed for it.

    Raises:
      UserError: workers can't train with the strategy, the reduction or the input pipeline.
    """
    check_before_start(
        cluster, source, devices, _variables_of(job, devices, cluster), reduction_of(job), job.update_ops,
        backup_workers,
    )


def _variables_of(job: Job, devices: Sequence[str], cluster: Optional[Cluster]) -> Any:
    # Over workers a name means other devices: those of the parameter servers.
    return job.variables if cluster is not None and cluster.parameter_servers else strategy_of(job, devices)


@contextlib.contextmanager
def announced_build(towers: int, stream: Optional[TextIO], after: Optional[float] = None) -> Iterator[None]:
    """Writes "building the graph of N towers" to a stream if the block inside takes over `after` (2) seconds."""
    if stream is None:
        yield
        return
    timer = threading.Timer(_ANNOUNCED_AFTER_SECONDS if after is None else after, _write, [stream, towers])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # a line that is being written is complete before the next one begins


def _write(stream: TextIO, towers: int) -> None:
    stream.write("building the graph of {} tower{}\n".format(towers, "" if towers == 1 else "s"))
    stream.flush()
