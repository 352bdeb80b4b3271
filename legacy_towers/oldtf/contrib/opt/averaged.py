"""What `elastic` and `model_average` share: workers with their own variables, which meet in averages now and then.

Both need a custom getter, which makes for each trainable variable of a worker one that all share.
"""
from typing import Any, Callable, Dict

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.opt.wrappers import _Wrapper

GLOBAL_VARIABLE_NAME = "global_center_variable"
# As the collections of a variable.
GLOBAL, LOCAL = [tf.GraphKeys.GLOBAL_VARIABLES], [tf.GraphKeys.LOCAL_VARIABLES]


class Getter:
    """A custom getter; what is not trainable it leaves as it is, local variables on the worker."""

    def __init__(self, worker_device: str) -> None:
        self._worker_device = worker_device

    def __call__(self, getter: Any, name: str, trainable: bool, collections: Any, *args: Any, **kwargs: Any) -> Any:
        if trainable:
            return self._trainable(getter, name, args, kwargs)
        # TensorFlow 2 hands on None where 1.x handed on a list.
        is_local = tf.GraphKeys.LOCAL_VARIABLES in (collections or ())
        with tf.device(self._worker_device if is_local else ""):
            return getter(name, *args, **dict(kwargs, trainable=trainable, collections=collections))

    def _trainable(self, getter: Any, name: str, args: Any, kwargs: Dict[str, Any]) -> Any:
        raise NotImplementedError


class Averaging(_Wrapper):
    """Counts the steps of the worker in the local variable "local_step"."""

    def __init__(self, opt: Any, num_worker: int, use_locking: bool, name: str) -> None:
        super().__init__(opt, use_locking, name)
        self._num_worker = num_worker
        self._local_step = tf.get_variable("local_step", initializer=0, trainable=False, collections=LOCAL)

    def _every(self, period: int, updates: Any, meet: Any) -> Any:
        """Returns the operation that counts a step after `updates`, and meets the others every `period` steps."""
        with tf.control_dependencies([updates]):
            counted = tf.assign_add(self._local_step, 1, name="local_step_update")
        with tf.control_dependencies([counted]):
            is_time = tf.equal(tf.mod(tf.identity(counted), period), 0)
            return tf.cond(is_time, meet, tf.no_op)


class Begin(tf.train.SessionRunHook):
    """Runs an operation in each new session."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._operation: Any = None

    def begin(self) -> None:
        self._operation = self._make()

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._operation)
