"""Base classes of ElasticAverageOptimizer and ModelAverageOptimizer.

Workers train their own local variables and synchronize with global variables every few steps. A custom getter creates
a global variable for each trainable variable of a worker.
"""
from typing import Any, Callable, Dict

from legacy_towers.compat.tf1.contrib.opt.wrappers import _Wrapper
from legacy_towers.compat.versions import tf

GLOBAL_VARIABLE_NAME = "global_center_variable"
# Values for the argument `collections` of a variable.
GLOBAL, LOCAL = [tf.GraphKeys.GLOBAL_VARIABLES], [tf.GraphKeys.LOCAL_VARIABLES]


class CustomGetter:
    """A custom getter for tf.variable_scope. A subclass creates the trainable variables in `_trainable`.

    Other variables are created as they are requested, local ones on `worker_device`.
    """

    def __init__(self, worker_device: str) -> None:
        self._worker_device = worker_device

    def __call__(self, getter: Any, name: str, trainable: bool, collections: Any, *args: Any, **kwargs: Any) -> Any:
        if trainable:
            return self._trainable(getter, name, args, kwargs)
        # TensorFlow 2 passes None where 1.x passes a list.
        is_local = tf.GraphKeys.LOCAL_VARIABLES in (collections or ())
        with tf.device(self._worker_device if is_local else ""):
            return getter(name, *args, **dict(kwargs, trainable=trainable, collections=collections))

    def _trainable(self, getter: Any, name: str, args: Any, kwargs: Dict[str, Any]) -> Any:
        raise NotImplementedError


class PeriodicAveragingOptimizer(_Wrapper):
    """An optimizer wrapper that counts the worker's steps in the local variable "local_step"."""

    def __init__(self, opt: Any, num_worker: int, use_locking: bool, name: str) -> None:
        super().__init__(opt, use_locking, name)
        self._num_worker = num_worker
        self._local_step = tf.get_variable("local_step", initializer=0, trainable=False, collections=LOCAL)

    def _every_n_steps(self, period: int, updates: Any, synchronize: Any) -> Any:
        """Returns the op that runs `updates`, counts a step, and runs `synchronize` every `period` steps."""
        with tf.control_dependencies([updates]):
            step = tf.assign_add(self._local_step, 1, name="local_step_update")
        with tf.control_dependencies([step]):
            is_due = tf.equal(tf.mod(tf.identity(step), period), 0)
            return tf.cond(is_due, synchronize, tf.no_op)


class InitOpHook(tf.train.SessionRunHook):
    """Runs the op that `create_init_op` returns in each new session."""

    def __init__(self, create_init_op: Callable[[], Any]) -> None:
        self._create_init_op = create_init_op
        self._init_op: Any = None

    def begin(self) -> None:
        self._init_op = self._create_init_op()

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._init_op)
