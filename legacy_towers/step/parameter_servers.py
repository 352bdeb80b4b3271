"""Synchronous training of workers whose variables are on parameter servers.

    chief     push own gradients -> take the sums -> update -> global step, losses, votes to each worker's queue
    others    push own gradients -> wait for the step in their queue
"""
from typing import Any, Dict, List, NamedTuple, Sequence

import numpy as np

from legacy_towers.cluster.parameter_servers import ParameterServerWorkers, is_on_server
from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.errors import ClusterError
from legacy_towers.gradients.tower_weights import weighted_mean
from legacy_towers.step.admission import Admission
from legacy_towers.step.objective_gradients import ObjectiveGradients
from legacy_towers.step.parameter_server_hooks import ParameterServerStartHook, ParameterServerStopHook
from legacy_towers.step.setup import Setup
from legacy_towers.step.skipping import Guarded
from legacy_towers.step.train_step import TrainOpSchedule
from legacy_towers.step.updates import Updates
from legacy_towers.step.watch_workers import WatchWorkersHook
from legacy_towers.step.worker_times import WorkerTimesHook
from legacy_towers.tensor_types import Tensor
from legacy_towers.text.names import quoted
from legacy_towers.variables import Strategy


class ServerSums(NamedTuple):
    """What the parameter servers sum over the workers in each step, besides gradients and statistics.

    Attributes:
      gradients: of each objective, at the chief with the loss over all workers.
      metrics: name -> scalar tensor, at the chief the mean over all workers' towers.
      vote: float64 scalar placeholder: 0, or why this worker asks to stop.
      busy: float64 scalar placeholder: the seconds of a step in which this worker does not wait.
      votes: the variable with the votes of all, on the first server, and then the sums of their seconds.
      admission: decides which workers' gradients are in time; None where each one's are.
    """

    gradients: List[ObjectiveGradients]
    metrics: Dict[str, Tensor]
    vote: Tensor
    busy: Tensor
    votes: Any
    admission: Any


class ParameterServerStep(NamedTuple):
    """A step whose train op is this worker's part of it, with what all workers get of it.

    Attributes:
      updates: the train op and the hooks.
      gradients: of each objective, with the loss over all workers.
      metrics: name -> scalar tensor, the mean over all workers' towers.
      is_finite: name of an objective -> bool scalar tensor, whether its step is applied; {} where all are.
    """

    updates: Updates
    gradients: List[ObjectiveGradients]
    metrics: Dict[str, Tensor]
    is_finite: Dict[str, Tensor]


def begin_server_step(
    setup: Setup, gradients: Sequence[ObjectiveGradients], metrics: Dict[str, Tensor]
) -> ServerSums:
    """Adds losses and metrics to what the workers sum; to be called before updates are built.

    Args:
      gradients: of each objective, with the loss over the towers of this worker.
      metrics: name -> scalar tensor, the mean over the towers of this worker.
    """
    workers: Any = setup.options.workers
    names = sorted(metrics)
    # The regularization is the same in all workers, and counted once.
    once = [each.losses.regularization for each in gradients]
    means = [
        loss if each is None else weighted_mean(one.losses.of_towers, setup.tower_weights)
        for one, loss, each in zip(gradients, [each.loss for each in gradients], once)
    ]
    own = means + [metrics[name] for name in names]
    with tf.device(workers.device), tf.name_scope("over_workers"):
        busy = tf.placeholder_with_default(tf.constant(0.0, tf.float64), [], name="busy_seconds")
    vote, votes, added = votes_of(workers, [busy])
    with tf.device(workers.device), tf.name_scope("over_workers"):
        values = tf.stack([tf.cast(each, tf.float64) for each in own])
    # The chief takes this sum before it reads the votes.
    before = [added] + [each.op for each in once if each is not None]
    workers.before_pushes += before
    summed = workers.combined(values, setup.tower_weights is not None, "losses, metrics {}".format(quoted(names)))
    del workers.before_pushes[-len(before):]
    workers.last = len(workers.pushes) - 1
    means = [tf.cast(summed[position], each.dtype) for position, each in enumerate(own)]
    for position, each in enumerate(once):
        means[position] = means[position] if each is None else means[position] + each
    return ServerSums(
        [each._replace(loss=loss) for each, loss in zip(gradients, means)], dict(zip(names, means[len(gradients):])),
        vote, busy, votes, workers.admission,
    )


def votes_of(workers: ParameterServerWorkers, others: Sequence[Tensor] = ()) -> Any:
    """Returns the placeholder of this worker's vote to stop, the variable with all votes, and the op that adds it.

    Args:
      others: float64 scalars of this worker, whose sums over the steps are after the votes, worker by worker.
    """
    votes = workers.variable(np.zeros(workers.size * (1 + len(others))), "legacy_towers_votes_to_stop")
    with tf.device(workers.device), tf.name_scope("over_workers"):
        vote = tf.placeholder_with_default(tf.constant(0.0, tf.float64), [], name="stop_vote")
        slot = tf.one_hot(workers.index, workers.size, dtype=tf.float64)
        return vote, votes, votes.assign_add(tf.concat([slot * each for each in [vote, *others]], axis=0)).op


def end_server_step(
    setup: Setup, sums: ServerSums, checked: Guarded, updates: Updates, fingerprint: str
) -> ParameterServerStep:
    """Returns this worker's part of the step: to be called when its updates are built, which the chief alone runs."""
    workers: Any = setup.options.workers
    check_variables_on_servers()
    gradients, metrics = checked.gradients, sums.metrics
    names, objectives, size = sorted(metrics), sorted(checked.is_finite), workers.size
    count = 1 + len(gradients) + len(names) + len(objectives)
    length = count + 2 * size
    queues = [workers.queue_of(worker, "step", length) for worker in range(size)]
    if sums.admission is not None:
        sums.admission.after(workers.pushed)
    workers.order()
    with tf.device(workers.host), tf.name_scope("over_workers"):
        pushed = tf.group(*workers.pushes)
        if workers.is_chief:
            with tf.control_dependencies(updates.schedule.all_ops + [pushed]):
                step = setup.global_step.read_value()
                parts = [each.loss for each in gradients] + [metrics[name] for name in names]
                parts += [checked.is_finite[name] for name in objectives]
                values = tf.stack([tf.cast(each, tf.float64) for each in [step] + parts])
                vector = tf.concat([values, sums.votes.read_value()], axis=0)
                opened = [] if sums.admission is None else [sums.admission.open(step)]
            with tf.control_dependencies(opened):
                ops = [queue.enqueue(vector) for queue in queues[1:]]
        else:
            with tf.control_dependencies([pushed]):
                # A worker that was late goes on at the newest step.
                many = tf.maximum(queues[workers.index].size(), 1)
                vector = queues[workers.index].dequeue_many(many)[-1]
            ops = [] if sums.admission is None else [sums.admission.seen(tf.cast(vector[0], tf.int64))]
        train_op = tf.group(vector.op, *ops, name="train_op_of_worker")
        # Whoever fetches one of these runs the step.
        with tf.control_dependencies([train_op]):
            dtypes = [each.loss.dtype for each in gradients] + [metrics[name].dtype for name in names]
            dtypes += [tf.bool] * len(objectives)
            found = [tf.cast(vector[1 + position], dtype) for position, dtype in enumerate(dtypes)]
            votes = tf.identity(vector[count:count + size], name="stop_votes")
            all_busy = tf.identity(vector[count + size:], name="busy_seconds_of_all")
    start_votes = workers.all_gather(sums.vote, "votes to stop before the first step")
    start = ParameterServerStartHook(workers, fingerprint, sums, setup.global_step)
    watch = WatchWorkersHook(workers.cluster)
    stop = ParameterServerStopHook(
        workers, sums.vote, votes, start_votes, vector, queues, sums.admission, watch
    )
    hooks = [watch, start] + updates.hooks
    # Late workers run fewer steps: they have no common ones in which they could sum their times.
    if sums.admission is None:
        times = WorkerTimesHook(workers, sums.busy, all_busy, vector, is_sum=True)
        times.measure_between(workers.pushed, train_op)
        hooks.append(times)
    return ParameterServerStep(
        updates._replace(schedule=TrainOpSchedule({}, [], train_op), hooks=hooks + [stop]),
        [each._replace(loss=loss) for each, loss in zip(gradients, found)],
        dict(zip(names, found[len(gradients):])),
        dict(zip(objectives, found[len(gradients) + len(names):])),
    )


def check_variables_on_servers() -> None:
    """Raises ClusterError where a variable is on a worker: each would train its own."""
    elsewhere = [each.op.name for each in tf.global_variables() if not is_on_server(each.device)]
    if elsewhere:
        raise ClusterError(
            "{} would not be on a parameter server, so that each worker has its own: leave the device to "
            "variables='parameter_server', 'balanced' or 'partitioned'".format(quoted(sorted(elsewhere)))
        )
    local = [each.op.name for each in tf.local_variables() if is_on_server(each.device)]
    if local:
        raise ClusterError(
            "the local variables {} would be on a parameter server, where all workers initialize them: create them "
            "under tf.device('/job:worker/task:N')".format(quoted(sorted(local)))
        )


def check_update_ops(policy: str, strategy: Strategy, workers: Workers) -> None:
    """Raises ClusterError for update ops that several workers would run on the same variables."""
    if isinstance(workers, ParameterServerWorkers) and strategy.updates == "reduced" and policy == "all":
        raise ClusterError(
            "update_ops='all' over workers with parameter servers is not supported, since the chief alone runs the "
            "update ops: use 'first' or 'mean'"
        )


def add_admission(workers: Workers) -> None:
    """Creates what decides whose gradients are in time, where there are backup workers: before the first of them."""
    if isinstance(workers, ParameterServerWorkers) and workers.backups:
        workers.admission = Admission(workers)
