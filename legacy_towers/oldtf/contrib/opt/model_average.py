"""Workers that train by themselves and all begin again at their mean every few steps."""
from typing import Any, Dict, Optional, Sequence

from legacy_towers.compat import tf, variable_values
from legacy_towers.oldtf.contrib.opt import averaged
from legacy_towers.oldtf.contrib.opt.averaged import GLOBAL_VARIABLE_NAME


class ModelAverageCustomGetter(averaged.Getter):
    """Puts trainable variables on the worker, as local ones, each with a global one for the average.

    Args:
      worker_device: "/job:worker/task:0".
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


class ModelAverageOptimizer(averaged.Averaging):
    """Lets each worker train by `opt`, and gives all the mean of their variables every `interval_steps` steps.

    Args:
      num_worker: how many workers there are; all of them must take part.
      is_chief: whether this is the one that takes the mean.
      ma_custom_getter: the getter that the variables were made by.
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
        """Returns the operation of a step.

        Raises:
          ValueError: no variables, or no global step.
        """
        grads_and_vars = list(grads_and_vars)
        if not grads_and_vars:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required")
        variables = [variable for gradient, variable in grads_and_vars if gradient is not None]
        updates = self._opt.apply_gradients(grads_and_vars)
        return self._every(self._interval_steps, updates, lambda: self._meet(variables, global_step))

    def _meet(self, variables: Sequence[Any], global_step: Any) -> Any:
        shared = [self._local_2_global[variable] for variable in variables]
        with tf.colocate_with(global_step):
            queue = tf.FIFOQueue(-1, [tf.bool], shapes=[[]], shared_name="sync_queue")
        given, means = [], []
        with tf.name_scope(None, self._name + "/global"):
            for variable, target in zip(variables, shared):
                with tf.device(target.device):
                    accumulator = tf.ConditionalAccumulator(
                        variable.dtype.base_dtype, shape=variable.shape, shared_name=target.name + "/var_accum"
                    )
                    given.append(accumulator.apply_grad(variable.read_value(), local_step=global_step))
                    means.append(accumulator.take_grad(self._num_worker))
        with tf.control_dependencies(given):
            if self._is_chief:
                done = [tf.assign(target, mean) for target, mean in zip(shared, means)]
                done.append(tf.assign_add(global_step, 1))
                with tf.control_dependencies(done), tf.device(global_step.device):
                    met = queue.enqueue_many(tf.fill([self._num_worker - 1], False))
            else:
                with tf.device(global_step.device):
                    met = queue.dequeue()
        with tf.control_dependencies([met]):
            return self._take(variables)

    def _take(self, variables: Sequence[Any]) -> Any:
        if not variables:
            raise ValueError("The list of local_variables should not be empty")
        taken = []
        for variable in variables:
            with tf.device(variable.device):
                taken.append(tf.assign(variable, self._local_2_global[variable].read_value()))
        return tf.group(*taken)

    def get_init_op(self) -> Any:
        """Returns the operation that lets the worker begin at the shared variables."""
        return self._take(tf.trainable_variables())

    def make_session_run_hook(self) -> tf.train.SessionRunHook:
        """Returns the hook that every worker's session needs."""
        return averaged.Begin(self.get_init_op)
