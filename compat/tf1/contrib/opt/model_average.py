"""ModelAverageOptimizer of tf.contrib.opt: local training with periodic averaging of all workers' variables."""
from typing import Any, Dict, Optional, Sequence

from legacy_towers.compat.tf1.contrib.opt import averaged
from legacy_towers.compat.tf1.contrib.opt.averaged import GLOBAL_VARIABLE_NAME
from legacy_towers.compat.tf1.contrib.private import variable_values
from legacy_towers.compat.versions import tf


class ModelAverageCustomGetter(averaged.CustomGetter):
    """Custom getter that creates trainable variables as local variables of the worker, each with a global average.

    Args:
      worker_device: the worker's device, such as "/job:worker/task:0".
    """

    def __init__(self, worker_device: str) -> None:
        super().__init__(worker_device)
        self._local_2_global: Dict[Any, Any] = {}

    def _trainable(self, getter: Any, name: str, args: Any, kwargs: Dict[str, Any]) -> Any:
        with tf.device(self._worker_device):
            local = getter(name, *args, **dict(kwargs, trainable=True, collections=averaged.LOCAL))
        self._local_2_global[local] = tf.Variable(
            variable_values.initialized_value(local),
            name="{}/{}".format(GLOBAL_VARIABLE_NAME, name),
            trainable=False,
            collections=averaged.GLOBAL,
        )
        return local


class ModelAverageOptimizer(averaged.PeriodicAveragingOptimizer):
    """Wrapper of `opt` that averages the variables of all workers every `interval_steps` steps.

    Args:
      num_worker: the number of workers; each average waits for all of them.
      is_chief: whether this worker writes the average.
      ma_custom_getter: the custom getter that created the variables.
    """

    def __init__(
        self,
        opt: Any,
        num_worker: int,
        is_chief: bool,
        ma_custom_getter: ModelAverageCustomGetter,
        interval_steps: int = 100,
        use_locking: bool = True,
        name: str = "ModelAverageOptimizer",
    ) -> None:
        super().__init__(opt, num_worker, use_locking, name)
        self._is_chief = is_chief
        self._local_2_global = ma_custom_getter._local_2_global
        self._interval_steps = interval_steps

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Optional[str] = None) -> Any:
        """Returns the train op.

        Raises:
          ValueError: `grads_and_vars` is empty, or `global_step` is None.
        """
        grads_and_vars = list(grads_and_vars)
        if not grads_and_vars:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required")
        variables = [variable for gradient, variable in grads_and_vars if gradient is not None]
        updates = self._opt.apply_gradients(grads_and_vars)
        return self._every_n_steps(self._interval_steps, updates, lambda: self._average_models(variables, global_step))

    def _average_models(self, variables: Sequence[Any], global_step: Any) -> Any:
        shared = [self._local_2_global[variable] for variable in variables]
        with tf.colocate_with(global_step):
            queue = tf.FIFOQueue(-1, [tf.bool], shapes=[[]], shared_name="sync_queue")
        apply_ops, means = [], []
        with tf.name_scope(None, self._name + "/global"):
            for variable, target in zip(variables, shared):
                with tf.device(target.device):
                    accumulator = tf.ConditionalAccumulator(
                        variable.dtype.base_dtype, shape=variable.shape, shared_name=target.name + "/var_accum"
                    )
                    apply_ops.append(accumulator.apply_grad(variable.read_value(), local_step=global_step))
                    means.append(accumulator.take_grad(self._num_worker))
        with tf.control_dependencies(apply_ops):
            if self._is_chief:
                updates = [tf.assign(target, mean) for target, mean in zip(shared, means)]
                updates.append(tf.assign_add(global_step, 1))
                with tf.control_dependencies(updates), tf.device(global_step.device):
                    barrier = queue.enqueue_many(tf.fill([self._num_worker - 1], False))
            else:
                with tf.device(global_step.device):
                    barrier = queue.dequeue()
        with tf.control_dependencies([barrier]):
            return self._copy_from_global(variables)

    def _copy_from_global(self, variables: Sequence[Any]) -> Any:
        if not variables:
            raise ValueError("The list of local_variables should not be empty")
        updates = []
        for variable in variables:
            with tf.device(variable.device):
                updates.append(tf.assign(variable, self._local_2_global[variable].read_value()))
        return tf.group(*updates)

    def get_init_op(self) -> Any:
        """Returns the op that copies the global variables to the worker's local ones."""
        return self._copy_from_global(tf.trainable_variables())

    def make_session_run_hook(self) -> tf.train.SessionRunHook:
        """Returns the hook that runs the init op in each new session; every worker needs it."""
        return averaged.InitOpHook(self.get_init_op)
