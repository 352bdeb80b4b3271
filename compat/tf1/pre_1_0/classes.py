"""Classes of 1.x whose arguments or methods TensorFlow 1.0 changed."""
from typing import Any

import numpy as np

from legacy_towers.compat.tf1 import user_script
from legacy_towers.compat.tf1.pre_1_0 import chief_queue_runner
from legacy_towers.compat.versions import tf


class SyncReplicasOptimizer(tf.train.SyncReplicasOptimizer):
    """tf.train.SyncReplicasOptimizer, which also accepts the arguments of TensorFlow 0.12 and has its clean-up op.

    Before 1.0 they were (opt, replicas_to_aggregate, variable_averages, variables_to_average, replica_id,
    total_num_replicas, use_locking, name); 1.0 dropped replica_id.

    The chief's session and Supervisor close without waiting 120 seconds for the gradients of workers that have ended.
    """

    _OLD = ("variable_averages", "variables_to_average", "replica_id", "total_num_replicas", "use_locking", "name")

    def __init__(self, opt: Any, replicas_to_aggregate: int, *arguments: Any, **keywords: Any) -> None:
        is_old = any(isinstance(each, tf.train.ExponentialMovingAverage) for each in arguments[:1]) or (
            len(arguments) > 2 and isinstance(arguments[2], (int, np.integer)) and not isinstance(arguments[2], bool)
        )
        if is_old:
            keywords, arguments = dict(zip(self._OLD, arguments), **keywords), ()
        if is_old or "replica_id" in keywords:
            user_script.report_replacement(
                "tf.train.SyncReplicasOptimizer(..., replica_id)", "the same without a replica_id"
            )
            keywords.pop("replica_id", None)
            # The default was 0, which meant replicas_to_aggregate, as None does in 1.x.
            keywords["total_num_replicas"] = keywords.get("total_num_replicas") or None
        super().__init__(opt, replicas_to_aggregate, *arguments, **keywords)

    def get_chief_queue_runner(self) -> Any:
        return chief_queue_runner.ends_with_the_session(super().get_chief_queue_runner())

    def get_clean_up_op(self) -> Any:
        """Returns the operation that the chief runs before it exits; it closes the token queue of the workers.

        Raises:
          ValueError: apply_gradients was not called.
        """
        queue = getattr(self, "_sync_token_queue", None)
        if queue is None:
            raise ValueError("get_clean_up_op() closes a queue that apply_gradients() makes: call that first")
        return queue.close(cancel_pending_enqueues=True, name="clean_up")


class ExponentialMovingAverage(tf.train.ExponentialMovingAverage):
    """tf.train.ExponentialMovingAverage, whose third argument was `name`; in 1.x it is zero_debias."""

    def __init__(self, decay: Any, num_updates: Any = None, *arguments: Any, **keywords: Any) -> None:
        if len(arguments) == 1 and isinstance(arguments[0], str):
            _report_name("tf.train.ExponentialMovingAverage", arguments[0])
            keywords["name"], arguments = arguments[0], ()
        super().__init__(decay, num_updates, *arguments, **keywords)


class FixedLengthRecordReader(tf.FixedLengthRecordReader):
    """tf.FixedLengthRecordReader, whose fourth argument was `name`; in 1.x it is hop_bytes."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        if len(arguments) == 4 and isinstance(arguments[3], str):
            _report_name("tf.FixedLengthRecordReader", arguments[3])
            keywords["name"], arguments = arguments[3], arguments[:3]
        super().__init__(*arguments, **keywords)


class orthogonal_initializer(tf.orthogonal_initializer):  # noqa: N801
    """tf.orthogonal_initializer, whose arguments were (gain, dtype, seed); in 1.x they are (gain, seed, dtype)."""

    def __init__(self, gain: float = 1.0, *arguments: Any, **keywords: Any) -> None:
        if arguments and isinstance(arguments[0], tf.DType):
            user_script.report_replacement(
                "tf.orthogonal_initializer(gain, dtype, seed)", "(gain, seed=seed, dtype=dtype)"
            )
            keywords.update(zip(("dtype", "seed"), arguments))
            arguments = ()
        super().__init__(gain, *arguments, **keywords)


class variable_scope(tf.variable_scope):  # noqa: N801
    """tf.variable_scope, whose second argument was `reuse` up to TensorFlow 0.8; in 1.x it is default_name."""

    def __init__(self, name_or_scope: Any, *arguments: Any, **keywords: Any) -> None:
        if arguments and isinstance(arguments[0], bool):
            user_script.report_replacement(
                "tf.variable_scope(name, {})".format(arguments[0]), "reuse={}".format(arguments[0])
            )
            keywords.update(zip(("reuse", "initializer", "regularizer", "caching_device"), arguments))
            arguments = ()
        super().__init__(name_or_scope, *arguments, **keywords)


def _report_name(function: str, name: str) -> None:
    user_script.report_replacement("{}(..., {!r})".format(function, name), "{}(..., name={!r})".format(function, name))
