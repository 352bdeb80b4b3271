"""Workers with variables of their own, which meet in averages every few steps: elastic, or of all workers at once.

Both need a custom getter, which makes for each trainable variable of a worker one that all share.
"""
from typing import Any, Callable, Dict, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.opt.wrappers import _Wrapper

GLOBAL_VARIABLE_NAME = "global_center_variable"
LOCAL_VARIABLE_NAME = "local_center_variable"
_GLOBAL, _LOCAL = [tf.GraphKeys.GLOBAL_VARIABLES], [tf.GraphKeys.LOCAL_VARIABLES]


class _Getter:
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


class ModelAverageCustomGetter(_Getter):
    """Puts trainable variables on the worker, as local ones, each with a global one for the average.

    Args:
      worker_device: "/job:worker/task:0".
    """

    def __init__(self, worker_device: str) -> None:
        super().__init__(worker_device)
        self._local_2_global: Dict[Any, Any] = {}

    def _trainable(self, getter: Any, name: str, args: Any, kwargs: Dict[str, Any]) -> Any:
        with tf.device(self._worker_device):
            local = getter(name, *args, **dict(kwargs, trainable=True, collections=_LOCAL))
        self._local_2_global[local] = tf.Variable(
            _initialized(local),
            name="{}/{}".format(GLOBAL_VARIABLE_NAME, name),
            trainable=False,
            collections=_GLOBAL,
        )
        return local


def _initialized(variable: Any) -> Any:
    with tf.init_scope():
        return tf.cond(tf.is_variable_initialized(variable), variable.read_value, lambda: variable.initial_value)


class ElasticAverageCustomGetter(_Getter):
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
            variable = getter(name, *args, **dict(kwargs, trainable=True, collections=_LOCAL))
        if kwargs.get("reuse") is True:
            return variable
        still = dict(kwargs, trainable=False)
        center = getter("{}/{}".format(GLOBAL_VARIABLE_NAME, name), *args, **dict(still, collections=_GLOBAL))
        with tf.device(self._worker_device):
            local = getter("{}/{}".format(LOCAL_VARIABLE_NAME, name), *args, **dict(still, collections=_LOCAL))
        whole = kwargs.get("partitioner") is None
        for one, near, far in zip(*[[each] if whole else list(each) for each in (variable, local, center)]):
            self._local_map[one], self._global_map[one] = near, far
        return variable


class _Averaging(_Wrapper):
    """Counts the steps of the worker in the local variable "local_step"."""

    def __init__(self, opt: Any, num_worker: int, use_locking: bool, name: str) -> None:
        super().__init__(opt, use_locking, name)
        self._num_worker = num_worker
        self._local_step = tf.get_variable("local_step", initializer=0, trainable=False, collections=_LOCAL)

    def _every(self, period: int, updates: Any, meet: Any) -> Any:
        """Returns the operation that counts a step after `updates`, and meets the others every `period` steps."""
        with tf.control_dependencies([updates]):
            counted = tf.assign_add(self._local_step, 1, name="local_step_update")
        with tf.control_dependencies([counted]):
            is_time = tf.equal(tf.mod(tf.identity(counted), period), 0)
            return tf.cond(is_time, meet, tf.no_op)


class ElasticAverageOptimizer(_Averaging):
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
        return _Begin(lambda: self.get_init_op(task_index))

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


class ModelAverageOptimizer(_Averaging):
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
        return _Begin(self.get_init_op)


class _Begin(tf.train.SessionRunHook):
    """Runs an operation in each new session."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._operation: Any = None

    def begin(self) -> None:
        self._operation = self._make()

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._operation)
