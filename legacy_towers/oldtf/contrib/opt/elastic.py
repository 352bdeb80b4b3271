"""Workers that train by themselves and are pulled towards a common center every few steps."""
from typing import Any, Dict, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.opt import averaged
from legacy_towers.oldtf.contrib.opt.averaged import GLOBAL_VARIABLE_NAME

LOCAL_VARIABLE_NAME = "local_center_variable"


class ElasticAverageCustomGetter(averaged.Getter):
    """Puts trainable variables on the worker, as local ones, each with a global center and a local copy of that.

    Args:
      worker_device: "/job:worker/task:0".
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
        still = dict(kwargs, trainable=False)
        center = getter("{}/{}".format(GLOBAL_VARIABLE_NAME, name), *args, **dict(still, collections=averaged.GLOBAL))
        with tf.device(self._worker_device):
            local = getter("{}/{}".format(LOCAL_VARIABLE_NAME, name), *args, **dict(still, collections=averaged.LOCAL))
        whole = kwargs.get("partitioner") is None
        for one, near, far in zip(*[[each] if whole else list(each) for each in (variable, local, center)]):
            self._local_map[one], self._global_map[one] = near, far
        return variable


class ElasticAverageOptimizer(averaged.Averaging):
    """Lets each worker train by `opt`, and pulls it and the global center towards each other every few steps.

    Zhang, Choromanska and LeCun, "Deep learning with elastic averaging SGD" (2015).

    Args:
      num_worker: how many workers there are.
      ea_custom_getter: the getter that the variables were made by.
      communication_period: the steps from one meeting to the next.
      moving_rate: what part of the difference is moved; None: 0.9 / communication_period / num_worker.
      rho: the weight of the distance in the loss; None: moving_rate / the learning rate of `opt`.
      synchronous: workers wait for each other before they start.
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
        """Returns the gradients of the loss and of the distance from the centers."""
        variables = list(var_list or tf.trainable_variables())
        distances = [tf.nn.l2_loss(variable - self._local_map[variable]) for variable in variables]
        return self._opt.compute_gradients(loss + self._rho * tf.add_n(distances), variables, *args, **options)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Optional[str] = None) -> Any:
        grads_and_vars = list(grads_and_vars)
        before = set(tf.global_variables())
        updates = self._opt.apply_gradients(grads_and_vars)
        everywhere = tf.get_collection_ref(tf.GraphKeys.GLOBAL_VARIABLES)
        for slot in [variable for variable in everywhere if variable not in before]:
            # The optimizer's own are the worker's.
            everywhere[:] = [variable for variable in everywhere if variable is not slot]
            tf.add_to_collection(tf.GraphKeys.LOCAL_VARIABLES, slot)
        variables = [variable for gradient, variable in grads_and_vars if gradient is not None]
        return self._every(self._period, updates, lambda: self._pull(variables, global_step))

    def _pull(self, variables: Sequence[Any], global_step: Any) -> Any:
        centers = [self._global_map[variable] for variable in variables]
        locals_ = [self._local_map[variable] for variable in variables]
        moved = []
        with tf.control_dependencies([tf.assign(near, far) for near, far in zip(locals_, centers)]):
            differences = [
                self._moving_rate * (variable.read_value() - near.read_value())
                for variable, near in zip(variables, locals_)
            ]
        with tf.control_dependencies(differences):
            for variable, center, difference in zip(variables, centers, differences):
                with tf.device(variable.device):
                    moved.append(tf.assign_sub(variable, difference))
                with tf.device(center.device):
                    moved.append(tf.assign_add(center, difference))
            if global_step is not None:
                with tf.colocate_with(global_step):
                    moved.append(tf.assign_add(global_step, 1))
        return tf.group(*moved)

    def get_init_op(self, task_index: int) -> Any:
        """Returns the operation that lets the worker begin at the centers.

        Raises:
          ValueError: there are no variables of the getter.
        """
        variables = tf.trainable_variables()
        if not variables or not self._global_map:
            raise ValueError(
                "The lists of local_variables, global_center_variables, local_center_variables should not be empty"
            )
        begin = []
        for variable in variables:
            center = self._global_map[variable]
            begin += [tf.assign(variable, center), tf.assign(self._local_map[variable], center)]
        return _after_all(begin, self._num_worker, task_index) if self._synchronous else tf.group(*begin)

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> tf.train.SessionRunHook:
        """Returns the hook that every worker's session needs."""
        return averaged.Begin(lambda: self.get_init_op(task_index))

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any) -> Any:
        """Returns a tf.train.Saver that saves the centers under the names of the variables.

        Raises:
          RuntimeError: there are no variables of the getter yet.
        """
        if not self._global_map:
            raise RuntimeError(
                "global_center_variable is empty, please make sure this is called after model created and "
                "ElasticAverageCustomGetter is used when declaring you model"
            )
        chosen = tf.trainable_variables() if var_list is None else var_list
        named = chosen if isinstance(chosen, dict) else {variable.op.name: variable for variable in chosen}
        return tf.train.Saver(
            {key: self._global_map.get(variable, variable) for key, variable in named.items()}, name=name, **kwargs
        )


def _after_all(operations: List[Any], workers: int, task: int) -> Any:
    """Returns the operation that waits until every worker ran `operations`."""
    queues = [
        tf.FIFOQueue(workers, [tf.bool], shapes=[[]], shared_name="variable_init_sync_queue{}".format(index))
        for index in range(workers)
    ]
    with tf.control_dependencies([tf.group(*operations)]):
        told = [queue.enqueue(tf.constant(False)) for index, queue in enumerate(queues) if index != task]
    return tf.group(*(told + [queues[task].dequeue_many(workers - 1)]))
