"""The datasets of tf.contrib.distribute.python.values: each tower gets an element of its own."""
from typing import Any, List, Optional, Sequence

from legacy_towers.compat.tf1.contrib.private import strategies
from legacy_towers.compat.versions import tf


class PerDeviceDataset:
    """A dataset of which each tower gets an element per step, in order.

        elements 0 1 2 3 4 5   tower 0: 0 2 4   tower 1: 1 3 5

    The last elements are dropped if they don't suffice for all towers.

    Args:
      dataset: a tf.data.Dataset.
      devices: the towers' devices.
      prefetch_on_device: whether to read the elements of the next step ahead; None: yes.
      strategy: the strategy; None: the one whose scope is entered when elements are read.
    """

    def __init__(
        self, dataset: Any, devices: Sequence[str], prefetch_on_device: Optional[bool] = None, strategy: Any = None
    ) -> None:
        if prefetch_on_device is None:
            prefetch_on_device = getattr(strategy, "prefetch_on_device", None)
        self._devices = list(devices)
        self._strategy = strategy
        self._dataset = dataset if prefetch_on_device is False else dataset.prefetch(len(self._devices))

    def make_one_shot_iterator(self) -> "PerDeviceDataIterator":
        """Returns an iterator that needs no initializer."""
        with tf.device("/device:CPU:0"):
            iterator = tf.data.make_one_shot_iterator(self._dataset)
        return PerDeviceDataIterator(iterator, self._devices, strategy=self._strategy)

    def make_initializable_iterator(self) -> "PerDeviceDataIterator":
        """Returns an iterator whose `initializer` must run first."""
        with tf.device("/device:CPU:0"):
            iterator = tf.data.make_initializable_iterator(self._dataset)
        return PerDeviceDataIterator(iterator, self._devices, strategy=self._strategy)


class PerDeviceDataIterator:
    """An iterator whose `get_next` returns a per-tower value of elements; see `PerDeviceDataset`."""

    def __init__(
        self, iterator: Any, devices: Sequence[str], prefetch_on_device: Any = None, strategy: Any = None
    ) -> None:
        self._iterator = iterator
        self._devices = list(devices)
        self._strategy = strategy

    def get_next(self, name: Optional[str] = None) -> Any:
        """Returns the next elements, one per tower, as per-tower values."""
        strategy = self._strategy if self._strategy is not None else tf.distribute.get_strategy()
        elements: List[Any] = []
        before: List[Any] = []
        for _ in self._devices:
            # One after the other, so that the towers' elements have the order of the dataset.
            with tf.device("/device:CPU:0"), tf.control_dependencies(before):
                elements.append(self._iterator.get_next(name=name))
            before = [tensor for tensor in tf.nest.flatten(elements[-1], expand_composites=True)][:1]
        return strategies.regrouped(strategy, elements)

    @property
    def initializer(self) -> Any:
        return self._iterator.initializer

    output_classes = property(lambda self: tf.data.get_output_classes(self._iterator))
    output_shapes = property(lambda self: tf.data.get_output_shapes(self._iterator))
    output_types = property(lambda self: tf.data.get_output_types(self._iterator))


class MapOutput:
    """The results of one tower's calls in `map`."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = list(values)

    def get(self) -> List[Any]:
        """Returns the results."""
        return self._values


class MultiStepContext:
    """The context of `run_steps_on_dataset`, to whose steps it is passed.

    Args:
      context: that of TensorFlow.
    """

    def __init__(self, context: Any = None) -> None:
        self._context = strategies.MultiStepContext() if context is None else context

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_context"], name)

    last_step_outputs = property(lambda self: self._context.last_step_outputs)
    non_tensor_outputs = property(lambda self: self._context.non_tensor_outputs)

    def set_last_step_output(self, name: str, output: Any, aggregation: Any = None, **options: Any) -> None:
        """Sets the output `name` of the last step.

        Args:
          name: the key in `last_step_outputs`.
          output: a tensor; a per-tower value outside of the towers.
          aggregation: how the towers' outputs are combined: tf.VariableAggregation.MEAN or SUM; None or NONE keeps all.
          **options: `reduce_op`, the name of `aggregation` in TensorFlow 1.13.
        """
        reduce_op = options.pop("reduce_op", aggregation)
        if options:
            raise TypeError("set_last_step_output got an unexpected argument {!r}".format(sorted(options)[0]))
        by_aggregation = {
            tf.VariableAggregation.MEAN: tf.distribute.ReduceOp.MEAN,
            tf.VariableAggregation.SUM: tf.distribute.ReduceOp.SUM,
            tf.VariableAggregation.NONE: None,
        }
        if isinstance(reduce_op, tf.VariableAggregation):
            reduce_op = by_aggregation[reduce_op]
        self._context.set_last_step_output(name, output, reduce_op)

    def set_non_tensor_output(self, name: str, output: Any) -> None:
        """Sets the output `name`, which is not a tensor."""
        self._context.set_non_tensor_output(name, output)


def regroup(per_device: Any, wrap_class: Any = None) -> Any:
    """Returns nested per-tower values of a dict device -> structure, for the strategy whose scope is entered."""
    strategy = tf.distribute.get_strategy()
    is_mirrored = wrap_class is not None and issubclass(wrap_class, strategies.Mirrored)
    return strategies.regrouped(strategy, list(per_device.values()), mirrored=is_mirrored)


def select_device(device: str, structured: Any) -> Any:
    """Returns `structured` with the values of the tower on `device`, for the strategy whose scope is entered."""
    devices = [_canonical(each) for each in tf.distribute.get_strategy().extended.worker_devices]
    if _canonical(device) not in devices:
        raise ValueError("Device {} not found in {}".format(device, devices))
    return strategies.selected(devices.index(_canonical(device)), structured)


def select_device_mirrored(device: str, structured: Any) -> Any:
    """Like `select_device`.

    Raises:
      TypeError: a value in `structured` differs by tower.
    """

    def check(value: Any) -> Any:
        if isinstance(value, strategies.DistributedValues) and not isinstance(value, strategies.Mirrored):
            raise TypeError("Expected value to be mirrored across towers: {} in {}.".format(value, structured))
        return value

    tf.nest.map_structure(check, structured)
    return select_device(device, structured)


def _canonical(device: str) -> str:
    spec = tf.DeviceSpec.from_string(device)
    return "{}:{}".format(str(spec.device_type or "CPU").upper(), spec.device_index or 0)
