"""All-reduces of each step besides those of gradients: losses, metrics, votes to stop and times of the workers.

    before gradients are reduced       begin_all_reduces: [losses, metrics, votes, times] of this worker
    their message includes them        cluster/messages.py
    after that                         end_all_reduces: losses and metrics over all workers, and the hooks
"""
from typing import Any, Dict, List, NamedTuple, Sequence

from legacy_towers.cluster.messages import FusedVector
from legacy_towers.compat import tf
from legacy_towers.step.objective_gradients import ObjectiveGradients
from legacy_towers.step.setup import Setup
from legacy_towers.step.together import StartTogetherHook, StopTogetherHook
from legacy_towers.step.train_step import TrainOpSchedule
from legacy_towers.step.updates import Updates
from legacy_towers.step.watch_workers import WatchWorkersHook
from legacy_towers.step.worker_times import WorkerTimesHook
from legacy_towers.tensor_types import SessionRunHook, Tensor
from legacy_towers.text.names import quoted
from legacy_towers.variables import LocalSGD
from legacy_towers.variables.synchronize import operations_of

_UP_TO_32_BITS = (tf.float16, tf.bfloat16, tf.float32)


class LocalValues(NamedTuple):
    """What this worker all-reduces in each step besides gradients and statistics.

    Attributes:
      losses: of each objective, over the towers of this worker.
      metrics: name -> scalar tensor, the mean over the towers of this worker.
      vote: placeholder of this worker's vote to stop.
      busy: placeholder of the seconds in which it does not wait.
      fused: all of these in one vector, with places for the votes and seconds of all workers.
    """

    losses: List[Tensor]
    metrics: Dict[str, Tensor]
    vote: Tensor
    busy: Tensor
    fused: FusedVector


def begin_all_reduces(setup: Setup, losses: Sequence[Tensor], metrics: Dict[str, Tensor]) -> LocalValues:
    """Returns what this worker all-reduces in each step. Call it before gradients are reduced: they share a message.

    Args:
      losses: of each objective, over the towers of this worker.
      metrics: name -> scalar tensor, the mean over the towers of this worker.
    """
    workers = setup.options.workers
    assert workers is not None
    own = list(losses) + [metrics[name] for name in sorted(metrics)]
    # Messages of 32-bit gradients include 32-bit values only: losses of more bits have a message of their own.
    sent_dtype = tf.float32 if all(each.dtype in _UP_TO_32_BITS for each in own) else tf.float64
    with tf.device(workers.device), tf.name_scope("over_workers"):
        vote = tf.placeholder_with_default(tf.constant(0.0, tf.float64), [], name="stop_vote")
        busy = tf.placeholder_with_default(tf.constant(0.0, tf.float64), [], name="busy_seconds")
        values = tf.stack([tf.cast(each, tf.float64) for each in own])
        if setup.tower_weights is None:
            values = values / tf.constant(workers.size, tf.float64)
        slot = tf.one_hot(workers.index, workers.size, dtype=tf.float64)
        fused = tf.cast(tf.concat([values, slot * vote, slot * busy], axis=0), sent_dtype)
    return LocalValues(list(losses), dict(metrics), vote, busy, FusedVector(fused))


class AllReduced(NamedTuple):
    """The results of these all-reduces, and the hooks that use them.

    Attributes:
      gradients: of each objective, with the loss over all workers.
      metrics: name -> scalar tensor, the mean over all workers' towers.
      watch: the hook to run first: it notices workers that don't answer.
      start: the hook to run next: one start for all.
      stop: the hook to run last: one end for all.
      times: the hook that finds out which worker the others wait for.
      needed: tensors that each step has to compute.
    """

    gradients: List[ObjectiveGradients]
    metrics: Dict[str, Tensor]
    watch: WatchWorkersHook
    start: SessionRunHook
    stop: StopTogetherHook
    times: WorkerTimesHook
    needed: List[Tensor]


def end_all_reduces(setup: Setup, local: LocalValues, gradients: Sequence[ObjectiveGradients]) -> AllReduced:
    """Returns losses and metrics over all workers, and the hooks that use the votes and times.

    Args:
      local: what `begin_all_reduces` returned.
      gradients: of each objective. If none of their messages included the local values, these have an all-reduce of
        their own.
    """
    workers = setup.options.workers
    assert workers is not None
    names = sorted(local.metrics)
    own = local.losses + [local.metrics[name] for name in names]
    with tf.device(workers.device), tf.name_scope("over_workers"):
        total = local.fused.total
        if total is None:
            total = workers.sum(local.fused.tensor, "losses, metrics {}".format(quoted(names)))
        vector = tf.identity(tf.cast(total, tf.float64), name="of_all")
        means = [tf.cast(vector[position], each.dtype) for position, each in enumerate(own)]
        votes = tf.identity(vector[len(own):len(own) + workers.size], name="stop_votes")
        all_busy = tf.identity(vector[len(own) + workers.size:], name="busy_seconds_of_all")
        start_votes = workers.all_gather(local.vote, "votes to stop before the first step")
    losses = means[:len(gradients)]
    return AllReduced(
        [each._replace(loss=loss) for each, loss in zip(gradients, losses)],
        dict(zip(names, means[len(gradients):])),
        WatchWorkersHook(workers.cluster),
        StartTogetherHook(workers, fingerprint_of(setup)),
        StopTogetherHook(workers, local.vote, votes, start_votes, vector),
        WorkerTimesHook(workers, local.busy, all_busy, vector),
        [vector],
    )


def of_workers(setup: Setup, updates: Updates, reduced: AllReduced) -> Updates:
    """Returns updates whose train op runs the all-reduces of each step, with their hooks."""
    if isinstance(setup.strategy, LocalSGD):
        with tf.name_scope("average_at_end"):
            operations = operations_of(setup.variables)
            with tf.control_dependencies([operations.average()]):
                averaged = operations.mark_averaged(True)
        reduced.watch.at_end = lambda session: session.run(averaged)
        reduced.stop.step_multiple = setup.strategy.sync_every
    together = tf.group(*(updates.schedule.all_ops + reduced.needed), name="train_op_of_workers")
    reduced.times.measure(together)
    return updates._replace(
        schedule=TrainOpSchedule({}, [], together),
        hooks=[reduced.watch, reduced.start] + updates.hooks + [reduced.times, reduced.stop],
    )


def fingerprint_of(setup: Setup) -> str:
    """Returns what must be equal in all workers, besides the variables and what they all-reduce."""
    options: Any = setup.options
    return repr((
        len(setup.training), options.strategy, options.reduction, options.on_missing, options.update_ops,
        options.moving_average_decay, options.use_resource, options.skip_nonfinite,
        setup.batches.plan.per_tower_batch_size, setup.batches.plan.order, setup.batches.plan.seed,
    ))
