"""Which workers' gradients are in time for a synchronous update with backup workers: those that come first.

    before the update of step s       admitted = [s, 0]
    a worker that computed at step s  [s, n] and n < required: [s, n + 1], and its gradients are added; else they are
                                      dropped, all of them
"""
from typing import Sequence

from legacy_towers.cluster.parameter_servers import IN_TIME, TOO_LATE, ParameterServerWorkers
from legacy_towers.compat import tf
from legacy_towers.compat.versions.graph import run_after
from legacy_towers.tensor_types import Operation, Tensor


class Admission:
    """Admits the first `required` workers of each step, and sets `workers.local_step` for what they push.

    Attributes:
      is_admitted: bool scalar: whether the gradients of this run were in time.
      own_step: int64 variable: the step whose variables this worker reads.
      admitted: int64 variable of shape [2] on the first server: the step, and how many were admitted to it.
    """

    def __init__(self, workers: ParameterServerWorkers) -> None:
        self.admitted = workers.variable(tf.constant([0, 0], tf.int64), "legacy_towers_admitted")
        with tf.device(workers.device):
            self.own_step = tf.Variable(
                tf.constant(0, tf.int64), trainable=False, collections=[], name="legacy_towers_own_step",
                use_resource=True,
            )
            own = self.own_step.read_value()
        with tf.device(workers.host), tf.name_scope("admission"):
            mutex = tf.raw_ops.MutexV2(container="", shared_name="legacy_towers_admission")
            self._lock = tf.raw_ops.MutexLock(mutex=mutex)
            with tf.control_dependencies([self._lock]):
                found = self.admitted.read_value()
                self.is_admitted = tf.logical_and(tf.equal(found[0], own), found[1] < workers.required)
                with tf.control_dependencies([found]):
                    counted = self.admitted.assign_add(tf.stack([tf.constant(0, tf.int64), tf.cast(
                        self.is_admitted, tf.int64
                    )])).op
            with tf.control_dependencies([counted]):
                done = tf.raw_ops.ConsumeMutexLock(mutex_lock=self._lock)
            with tf.control_dependencies([done]):
                workers.local_step = tf.where(
                    self.is_admitted, tf.constant(IN_TIME, tf.int64), tf.constant(TOO_LATE, tf.int64)
                )

    def after(self, tensors: Sequence[Tensor]) -> None:
        """Lets a worker be admitted when it has computed these: to be called once."""
        for each in tensors:
            run_after(self._lock.op, each.op)

    def open(self, step: Tensor) -> Operation:
        """Returns the operation by which the chief begins to admit workers to a step, and reads it itself."""
        step = tf.cast(step, tf.int64)
        return tf.group(self.admitted.assign(tf.stack([step, tf.constant(0, tf.int64)])).op, self.seen(step))

    def seen(self, step: Tensor) -> Operation:
        """Returns the operation by which this worker notes the step whose variables it reads next."""
        return self.own_step.assign(step).op
