"""ElasticAverageOptimizer of tf.contrib.opt: local training with periodic updates towards global center variables."""
from typing import Any, Dict, List, Optional, Sequence

from legacy_towers.compat.tf1.contrib.opt import averaged
from legacy_towers.compat.tf1.contrib.opt.averaged import GLOBAL_VARIABLE_NAME
from legacy_towers.compat.versions import tf

LOCAL_VARIABLE_NAME = "local_center_variable"


class ElasticAverageCustomGetter(averaged.CustomGetter):
    """Custom getter that creates trainable variables as local variables of the worker.

    Each has a global center variable, and a local copy of that.

    Args:
      worker_device: the worker's device, such as "/job:worker/task:0".
    """

    def __init__(self, worker_device: str) -> None:
        super().__init__(worker_device)
        self._local_map: Dict[Any, Any] = {}
        self._global_map: Dict[Any, Any] = {}

    def _trainable(self, getter: Any, name: str, args: Any, kwargs: Dict[str, Any]) -> Any:
        with tf.device(self._worker_device):
            variable = getter(name, *args, **dict(kwargs, trainable=True, collections=averaged.LOCAL))
        if kwargs.get("reuse") is True:
            return variable
        options = dict(kwargs, trainable=False)
        center_name, local_name = "{}/{}".format(GLOBAL_VARIABLE_NAME, name), "{}/{}".format(LOCAL_VARIABLE_NAME, name)
        center = getter(center_name, *args, **dict(options, collections=averaged.GLOBAL))
        with tf.device(self._worker_device):
            local_center = getter(local_name, *args, **dict(options, collections=averaged.LOCAL))
        if kwargs.get("partitioner") is None:
            self._local_map[variable], self._global_map[variable] = local_center, center
        else:
            for part, local_part, center_part in zip(variable, local_center, center):
                self._local_map[part], self._global_map[part] = local_part, center_part
        return variable


class ElasticAverageOptimizer(averaged.PeriodicAveragingOptimizer):
    """Wrapper of `opt` for elastic averaging SGD.

    Every `communication_period` steps the worker's variables and the global center variables move towards each other.
    Zhang, Choromanska and LeCun, "Deep learning with Elastic Averaging SGD" (2015), https://arxiv.org/abs/1412.6651.

    Args:
      num_worker: the number of workers.
      ea_custom_getter: the custom getter that created the variables.
      communication_period: steps between these updates.
      moving_rate: the fraction of the difference that is moved; None: 0.9 / communication_period / num_worker.
      rho: the weight of the distance to the center in the loss; None: moving_rate / the learning rate of `opt`.
      synchronous: whether workers wait for each other before they start.
    """

    BETA = 0.9

    def __init__(
        self,
        opt: Any,
        num_worker: int,
        ea_custom_getter: ElasticAverageCustomGetter,
        communication_period: int = 10,
        moving_rate: Optional[float] = None,
        rho: Optional[float] = None,
        use_locking: bool = True,
        synchronous: bool = False,
        name: str = "ElasticAverageOptimizer",
    ) -> None:
        super().__init__(opt, num_worker, use_locking, name)
        self._period = communication_period
        self._local_map = ea_custom_getter._local_map
        self._global_map = ea_custom_getter._global_map
        self._synchronous = synchronous
        self._moving_rate = self.BETA / communication_period / num_worker if moving_rate is None else moving_rate
        self._rho = self._moving_rate / opt._learning_rate if rho is None else rho

    def compute_gradients(self, loss: Any, var_list: Any = None, *args: Any, **options: Any) -> Any:
        """Returns the gradients of the loss plus the weighted distance to the centers."""
        variables = list(var_list or tf.trainable_variables())
        distances = [tf.nn.l2_loss(variable - self._local_map[variable]) for variable in variables]
        return self._opt.compute_gradients(loss + self._rho * tf.add_n(distances), variables, *args, **options)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Optional[str] = None) -> Any:
        grads_and_vars = list(grads_and_vars)
        before = set(tf.global_variables())
        updates = self._opt.apply_gradients(grads_and_vars)
        global_variables = tf.get_collection_ref(tf.GraphKeys.GLOBAL_VARIABLES)
        for slot in [variable for variable in global_variables if variable not in before]:
            # The slots are local to the worker.
            global_variables[:] = [variable for variable in global_variables if variable is not slot]
            tf.add_to_collection(tf.GraphKeys.LOCAL_VARIABLES, slot)
        variables = [variable for gradient, variable in grads_and_vars if gradient is not None]
        return self._every_n_steps(self._period, updates, lambda: self._elastic_update(variables, global_step))

    def _elastic_update(self, variables: Sequence[Any], global_step: Any) -> Any:
        centers = [self._global_map[variable] for variable in variables]
        local_centers = [self._local_map[variable] for variable in variables]
        updates = []
        with tf.control_dependencies([tf.assign(local, center) for local, center in zip(local_centers, centers)]):
            differences = [
                self._moving_rate * (variable.read_value() - local.read_value())
                for variable, local in zip(variables, local_centers)
            ]
        with tf.control_dependencies(differences):
            for variable, center, difference in zip(variables, centers, differences):
                with tf.device(variable.device):
                    updates.append(tf.assign_sub(variable, difference))
                with tf.device(center.device):
                    updates.append(tf.assign_add(center, difference))
            if global_step is not None:
                with tf.colocate_with(global_step):
                    updates.append(tf.assign_add(global_step, 1))
        return tf.group(*updates)

    def get_init_op(self, task_index: int) -> Any:
        """Returns the op that copies the global centers to the worker's variables.

        Raises:
          ValueError: the custom getter created no variables.
        """
        variables = tf.trainable_variables()
        if not variables or not self._global_map:
            raise ValueError(
                "The lists of local_variables, global_center_variables, local_center_variables should not be empty"
            )
        init_ops = []
        for variable in variables:
            center = self._global_map[variable]
            init_ops += [tf.assign(variable, center), tf.assign(self._local_map[variable], center)]
        if self._synchronous:
            return _wait_for_all_workers(init_ops, self._num_worker, task_index)
        return tf.group(*init_ops)

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> tf.train.SessionRunHook:
        """Returns the hook that runs the init op in each new session; every worker needs it."""
        return averaged.InitOpHook(lambda: self.get_init_op(task_index))

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any) -> Any:
        """Returns a tf.train.Saver that saves the global centers under the variables' names.

        Raises:
          RuntimeError: the custom getter created no variables.
        """
        if not self._global_map:
            raise RuntimeError(
                "global_center_variable is empty, please make sure this is called after model created and "
                "ElasticAverageCustomGetter is used when declaring you model"
            )
        variables = tf.trainable_variables() if var_list is None else var_list
        by_name = variables if isinstance(variables, dict) else {variable.op.name: variable for variable in variables}
        return tf.train.Saver(
            {key: self._global_map.get(variable, variable) for key, variable in by_name.items()}, name=name, **kwargs
        )


def _wait_for_all_workers(operations: List[Any], workers: int, task: int) -> Any:
    """Returns the op that runs `operations` and waits until every worker has run them."""
    queues = [
        tf.FIFOQueue(workers, [tf.bool], shapes=[[]], shared_name="variable_init_sync_queue{}".format(index))
        for index in range(workers)
    ]
    with tf.control_dependencies([tf.group(*operations)]):
        signals = [queue.enqueue(tf.constant(False)) for index, queue in enumerate(queues) if index != task]
    return tf.group(*(signals + [queues[task].dequeue_many(workers - 1)]))
