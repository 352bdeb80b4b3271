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


class Exchange(NamedTuple):
    """What a worker sends to the others in each step besides gradients and statistics.

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


def begin_all_reduces(setup: Setup, losses: Sequence[Tensor], metrics: Dict[str, Tensor]) -> Exchange:
    """Returns what this worker sends in each step. Call it before gradients are reduced, whose message can include it.

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
    return Exchange(list(losses), dict(metrics), vote, busy, FusedVector(fused))


class Exchanged(NamedTuple):
    """What the workers exchange in each step besides gradients and statistics.

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


def end_all_reduces(setup: Setup, exchange: Exchange, gradients: Sequence[ObjectiveGradients]) -> Exchanged:
    """Returns losses and metrics over all workers, with what votes and times are for.

    Args:
      gradients: of each objective. If no message of theirs included the exchange, it is an all-reduce of its own.
    """
    workers = setup.options.workers
    assert workers is not None
    names = sorted(exchange.metrics)
    own = exchange.losses + [exchange.metrics[name] for name in names]
    with tf.device(workers.device), tf.name_scope("over_workers"):
        total = exchange.fused.total
        if total is None:
            total = workers.sum(exchange.fused.tensor, "losses, metrics {}".format(quoted(names)))
        vector = tf.identity(tf.cast(total, tf.float64), name="of_all")
        means = [tf.cast(vector[position], each.dtype) for position, each in enumerate(own)]
        votes = tf.identity(vector[len(own):len(own) + workers.size], name="stop_votes")
        all_busy = tf.identity(vector[len(own) + workers.size:], name="busy_seconds_of_all")
        start_votes = workers.all_gather(exchange.vote, "votes to stop before the first step")
    losses = means[:len(gradients)]
    return Exchanged(
        [each._replace(loss=loss) for each, loss in zip(gradients, losses)],
        dict(zip(names, means[len(gradients):])),
        WatchWorkersHook(workers.cluster),
        StartTogetherHook(workers, fingerprint_of(setup)),
        StopTogetherHook(workers, exchange.vote, votes, start_votes, vector),
        WorkerTimesHook(workers, exchange.busy, all_busy, vector),
        [vector],
    )


def of_workers(setup: Setup, updates: Updates, exchanged: Exchanged) -> Updates:
    """Returns updates whose train op runs what the workers exchange in each step, with the hooks for that."""
    if isinstance(setup.strategy, LocalSGD):
        with tf.name_scope("average_at_end"):
            operations = operations_of(setup.variables)
            with tf.control_dependencies([operations.average()]):
                averaged = operations.mark_averaged(True)
        exchanged.watch.at_end = lambda session: session.run(averaged)
        exchanged.stop.step_multiple = setup.strategy.sync_every
    together = tf.group(*(updates.schedule.all_ops + exchanged.needed), name="train_op_of_workers")
    exchanged.times.measure(together)
    return updates._replace(
        schedule=TrainOpSchedule({}, [], together),
        hooks=[exchanged.watch, exchanged.start] + updates.hooks + [exchanged.times, exchanged.stop],
    )


def fingerprint_of(setup: Setup) -> str:
    """Returns what must be equal in all workers, besides the variables and what they exchange."""
    options: Any = setup.options
    return repr((
        len(setup.training), options.strategy, options.reduction, options.on_missing, options.update_ops,
        options.moving_average_decay, options.use_resource, options.skip_nonfinite,
        setup.batches.plan.per_tower_batch_size, setup.batches.plan.order, setup.batches.plan.seed,
    ))
