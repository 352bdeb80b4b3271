"""The methods that strategies had in TensorFlow 1.8 to 1.13, when a replica was a tower.

    with strategy.scope():
        iterator = strategy.distribute_dataset(dataset)
        losses = strategy.call_for_each_tower(model_fn, iterator.get_next())
        loss = strategy.unwrap(strategy.reduce("mean", losses))[0]
"""
from typing import Any, Callable, Dict, List, Sequence

from legacy_towers.compat.tf1.contrib.distribute import batches, operations
from legacy_towers.compat.tf1.contrib.private import strategies
from legacy_towers.compat.versions import tf

_CPU = "/device:CPU:0"


class TowerMethods:
    """A mixin of strategies. Its methods are called in the strategy's scope, unless they say otherwise."""

    extended: Any
    scope: Any
    num_replicas_in_sync: int

    def call_for_each_tower(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls `fn` once per tower, on its device, and returns its results as per-tower values.

        As in TensorFlow 1.8 to 1.13, optimizers divide a loss by the number of towers, unless the last loss of
        tf.losses is a sum: updates apply the mean of the towers' gradients.

        Args:
          fn: the function.
          *args: its arguments; each tower gets its part of per-tower values.
          **kwargs: its keyword arguments; `run_concurrently` has no effect in a graph.
        """
        kwargs.pop("run_concurrently", None)
        with strategies.scaled_losses(self):
            return self.extended.call_for_each_replica(fn, args, kwargs)

    def call_for_each_replica(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls `call_for_each_tower`, which has this name in TensorFlow 1.13."""
        return self.call_for_each_tower(fn, *args, **kwargs)

    def experimental_run_v2(self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
        """Calls `fn` once per replica, in the scope; the losses are not divided. Its name is `run` since 2.2."""
        # Not `run`, which returns nothing in a ParameterServerStrategy of 2.21.
        with self.scope():
            return self.extended.call_for_each_replica(fn, args=args, kwargs=kwargs)

    def distribute_dataset(self, dataset_fn: Any = None, dataset: Any = None) -> Any:
        """Splits a dataset over the towers: each gets an element, so that a batch of it is a batch of one tower.

        Args:
          dataset_fn: a function that returns a tf.data.Dataset (TensorFlow 1.12 and 1.13), or the dataset (1.8).
          dataset: the name of `dataset_fn` in TensorFlow 1.8.

        Returns:
          a `PerDeviceDataset` for a function, its one-shot iterator for a dataset.
        """
        dataset_fn = operations.only_one(dataset_fn, dataset)
        if not callable(dataset_fn):
            return batches.PerDeviceDataset(dataset_fn, self.worker_devices, strategy=self).make_one_shot_iterator()
        with tf.device(_CPU):
            dataset = dataset_fn()
        return batches.PerDeviceDataset(dataset, self.worker_devices, strategy=self)

    def reduce(
        self,
        reduce_op: Any = None,
        value: Any = None,
        axis: Any = None,
        destinations: Any = None,
        method_string: Any = None,
        aggregation: Any = None,
    ) -> Any:
        """Combines the towers' values.

        Args:
          reduce_op: "mean" or "sum" (TensorFlow 1.8), a tf.VariableAggregation (1.12) or tf.distribute.ReduceOp (1.13
            and newer).
          value: a per-tower value.
          axis: also reduce along this axis, with a tf.distribute.ReduceOp; other values are the `destinations`.
          destinations: a device, a list of devices, or a variable, on whose devices the result is needed; None: on
            the devices of all towers.
          method_string: the name of `reduce_op` in TensorFlow 1.8.
          aggregation: the name of `reduce_op` in TensorFlow 1.12.

        Returns:
          a tensor with a tf.distribute.ReduceOp and without `destinations`, or on one device; else a value with a
          copy per device: see `unwrap`.
        """
        operation = operations.only_one(reduce_op, aggregation, method_string)
        if axis is not None and not isinstance(axis, (int, list, tuple)) or _are_devices(axis):
            axis, destinations = None, axis
        if destinations is None and isinstance(operation, tf.distribute.ReduceOp):
            return self._reduce_to_tensor(operation, value, axis)
        return self._reduce_to(operation, value, destinations)

    def _reduce_to_tensor(self, reduce_op: Any, value: Any, axis: Any) -> Any:
        return super().reduce(reduce_op, value, axis)  # type: ignore[misc]

    def _reduce_to(self, operation: Any, value: Any, destinations: Any) -> Any:
        devices = self._devices_of(destinations)
        if operations.is_first_only(operation):
            return self.broadcast(self.unwrap(value)[0], destinations)
        if isinstance(devices, list):
            reduced = self.extended.reduce_to(operations.reduce_op(operation), value, devices[0])
            return self._copied(reduced, devices)
        if devices is None:
            devices = value if isinstance(value, strategies.DistributedValues) else _CPU
        return self.extended.reduce_to(operations.reduce_op(operation), value, devices)

    def batch_reduce(
        self, aggregation: Any = None, value_destination_pairs: Sequence[Any] = (), method_string: Any = None
    ) -> List[Any]:
        """Returns `reduce` of each (value, destinations), where TensorFlow may combine several tensors."""
        aggregation = operations.only_one(aggregation, method_string)
        pairs = [(value, self._devices_of(destinations)) for value, destinations in value_destination_pairs]
        is_plain = all(places is not None and not isinstance(places, list) for _, places in pairs)
        if is_plain and not operations.is_first_only(aggregation):
            return list(self.extended.batch_reduce_to(operations.reduce_op(aggregation), pairs))
        return [self._reduce_to(aggregation, value, places) for value, places in value_destination_pairs]

    def broadcast(self, tensor: Any, destinations: Any = None) -> Any:
        """Returns a value with a copy of `tensor` per device: of all towers, or of `destinations` (see `reduce`)."""
        devices = self._devices_of(self.worker_devices if destinations is None else destinations)
        if isinstance(devices, list):
            return self._copied(tensor, devices)
        return self.extended.broadcast_to(tensor, devices)

    def update(self, var: Any, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls `fn(var, ...)` for the variable of each device, with its part of the arguments.

        Args:
          var: a variable that was made in the scope.
          fn: the function that updates it.
          *args: further arguments of `fn`.
          **kwargs: its keyword arguments; `grouped=False` returns the results of all devices as they are.
        """
        return self.extended.update(var, fn, args, kwargs, group=kwargs.pop("grouped", True))

    def update_non_slot(self, colocate_with: Any, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls `fn` on each device of `colocate_with`, the result of `non_slot_devices`; see `update`."""
        return self.extended.update_non_slot(colocate_with, fn, args, kwargs, group=kwargs.pop("grouped", True))

    def unwrap(self, value: Any) -> List[Any]:
        """Returns the values of all towers, or `[value]`."""
        return list(self.extended._local_results(value))

    def fetch(self, val: Any, destination: str = _CPU, fn: Callable[[Any], Any] = lambda value: value) -> Any:
        """Returns `fn(val)` on the device `destination`, of the first tower; a tower-local variable is reduced."""
        if isinstance(val, strategies.SyncOnReadVariable):
            with tf.device(destination):
                return tf.identity(fn(self.extended.read_var(val)))
        first = self.unwrap(val)[0]
        with tf.device(getattr(first, "device", None)):
            value = fn(first)
        with tf.device(destination):
            return tf.identity(value)

    def read_var(self, v: Any = None, tower_local_var: Any = None, var: Any = None) -> Any:
        """Returns the value of a variable; that of a tower-local variable is reduced."""
        return self.extended.read_var(operations.only_one(v, tower_local_var, var))

    def tower_local_var_scope(self, reduce_method: str) -> Any:
        """Returns a scope whose new variables are not trained and differ by tower.

        Args:
          reduce_method: "mean" or "sum": the value that is read, and saved, of all towers' variables.
        """
        mean = str(reduce_method).lower() == "mean"
        aggregation = tf.VariableAggregation.MEAN if mean else tf.VariableAggregation.SUM

        def create(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
            kwargs.update(
                trainable=False,
                use_resource=True,
                synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=aggregation,
            )
            return next_creator(**kwargs)

        return tf.variable_creator_scope(create)

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """Returns a scope whose new variables are on the devices of a variable, or of `non_slot_devices`."""
        if not isinstance(colocate_with_variable, (list, tuple)):
            return self.extended.colocate_vars_with(colocate_with_variable)
        # All variables are on these devices.
        return tf.device(None if len(colocate_with_variable) > 1 else colocate_with_variable[0])

    def run_steps_on_dataset(
        self, fn: Callable[..., Any], iterator: Any, iterations: int = 1, initial_loop_values: Any = None
    ) -> Any:
        """Runs `fn(context, *inputs)` for `iterations` steps in a loop of the graph.

        Returns:
          the context, a `MultiStepContext`: `run_op` runs the steps, `last_step_outputs` are those of the last one.
        """

        def step(context: Any, inputs: Any) -> Any:
            return fn(batches.MultiStepContext(context), *(inputs if isinstance(inputs, tuple) else (inputs,)))

        # Without initial values, the graph's while_loop takes the outputs of the last step as they come.
        return batches.MultiStepContext(
            self.extended.experimental_run_steps_on_iterator(step, iterator, iterations, initial_loop_values)
        )

    def map(self, map_over: Sequence[Any], fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls `fn(each, ...)` for each of `map_over`, on the towers' devices in turn.

        Returns:
          a per-tower value of `MapOutput`s, of which `get()` has the results of one tower's calls.
        """
        towers: Dict[int, List[Any]] = {}
        for number, each in enumerate(map_over):
            tower = number % self.num_replicas_in_sync
            with tf.device(self.worker_devices[tower]):
                given = strategies.selected(tower, (args, kwargs))
                towers.setdefault(tower, []).append(fn(each, *given[0], **given[1]))
        outputs = [batches.MapOutput(towers.get(tower, [])) for tower in range(self.num_replicas_in_sync)]
        return strategies.regrouped(self, outputs)

    def initialize(self) -> List[Any]:
        """Returns the operations to run before the first step: none."""
        return []

    def finalize(self) -> List[Any]:
        """Returns the operations to run after the last step: none."""
        return []

    experimental_initialize = initialize
    experimental_finalize = finalize

    def value_container(self, value: Any = None, val: Any = None) -> Any:
        """Returns the variable whose part on one tower `value` (in TensorFlow 1.12, `val`) is, or `value`."""
        return self.extended.value_container(operations.only_one(value, val))

    def non_slot_devices(self, var_list: Sequence[Any]) -> Any:
        """Returns the devices of variables that belong to an optimizer, not to one variable."""
        return self.extended.non_slot_devices(var_list)

    @property
    def num_towers(self) -> int:
        return self.num_replicas_in_sync

    @property
    def is_single_tower(self) -> bool:
        return self.num_replicas_in_sync == 1

    @property
    def worker_devices(self) -> List[str]:
        return list(self.extended.worker_devices)

    @property
    def parameter_devices(self) -> List[str]:
        return list(self.extended.parameter_devices)

    @property
    def worker_device_index(self) -> Any:
        """The number of each tower, a per-tower value."""
        return strategies.regrouped(self, range(self.num_replicas_in_sync))

    between_graph = property(lambda self: self.extended.experimental_between_graph)
    require_static_shapes = property(lambda self: self.extended.experimental_require_static_shapes)
    should_init = property(lambda self: self.extended.experimental_should_init)
    should_checkpoint = property(lambda self: self.extended.should_checkpoint)
    should_save_summary = property(lambda self: self.extended.should_save_summary)

    def _devices_of(self, destinations: Any) -> Any:
        """Returns what TensorFlow takes as destinations; a list of several devices, which it rejects, as a list."""
        if isinstance(destinations, (list, tuple)):
            return destinations[0] if len(destinations) == 1 else list(destinations)
        return destinations

    def _copied(self, tensor: Any, devices: Sequence[str]) -> Any:
        if len(devices) != self.num_replicas_in_sync:
            raise ValueError("destinations must be one device or those of all {} towers, got {}".format(
                self.num_replicas_in_sync, list(devices)
            ))
        copies = []
        for device in devices:
            with tf.device(device):
                copies.append(tf.identity(tensor))
        return strategies.regrouped(self, copies, mirrored=True)


def _are_devices(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and any(isinstance(each, str) for each in value)
