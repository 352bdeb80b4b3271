"""The same batch in every step, from variables on the towers' devices: the time of a step without any input.

    first global batch of the examples -> a local variable per tower and component, on the tower's device -> tower

Constants can't replace the variables: TensorFlow's optimizer computes everything that depends on constants alone once
(a preprocessing of 38 ms took 0.09 ms).
"""
import re
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.data import Examples, structure
from legacy_towers.data.batches import StepGraph
from legacy_towers.data.readable_examples import Shuffle
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.inputs.base import Input, TowerBatches, host_device, scope_within, with_static_shape
from legacy_towers.inputs.position import EXACT, Position, Promise
from legacy_towers.inputs.reading import Reading
from legacy_towers.specs.batch_sizes import Sizes
from legacy_towers.tensor_types import DType, NestedTensors
from legacy_towers.text.names import tower_scope

# The types of variables that a GPU can hold. Others stay on its host and are copied in each step.
_ON_GPUS = frozenset(["float16", "bfloat16", "float32", "float64", "complex64", "complex128", "int64"])


def synthetic(
    examples: Examples,
    per_tower_batch_size: Optional[int] = None,
    global_batch_size: Optional[int] = None,
    epochs: None = None,
    shuffle: Optional[Shuffle] = None,
    order: str = "any",
    remainder: str = "drop",
) -> "SyntheticInput":
    """Creates an input pipeline that gives each tower the same batch in every step, from variables on its device.

        step      tower 0      tower 1          2 towers of 4, examples 0, 1, 2, ...
        0         0 1 2 3      4 5 6 7
        1         0 1 2 3      4 5 6 7

        inputs = lt.inputs.synthetic(examples, per_tower_batch_size=4)

    Nothing is read, parsed or fed while steps run, so no input pipeline is faster: compare others with it. The values
    are those of the first global batch of the examples, without shuffling. The data never ends.

    Args:
      examples: an `lt.Examples` with dense, sparse or ragged components. Its first examples are read when the step is
        built, and repeated if they are fewer than a global batch.
      per_tower_batch_size, global_batch_size: examples per step, of one tower or of all towers; give one of them.
      epochs: must be None.
      shuffle: must be None or False.
      order: "any" or "fixed", which make no difference here.
      remainder: "drop", "pad" or "short". With "pad" and "short" there are counts, which are those of full batches.

    Raises:
      ArgumentError: the options contradict each other, or epochs or shuffling are requested.
      InputError: when the step is built: there are no examples.
    """
    if epochs is not None:
        raise ArgumentError("epochs={!r}: synthetic data has no epochs and never ends; leave epochs out".format(epochs))
    if shuffle:
        raise ArgumentError(
            "shuffle={!r}: synthetic batches contain the first examples in their order; leave shuffle "
            "out".format(shuffle)
        )
    return SyntheticInput(
        Reading(examples, per_tower_batch_size, global_batch_size, None, False, order, remainder).checked()
    )


class SyntheticInput(Input):
    """The input pipeline of `synthetic`."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def build(self, devices: Sequence[str]) -> TowerBatches:
        reading = self._reading
        sizes = reading.sizes(len(devices))
        first = _first_step(reading.examples, sizes)
        per_tower = [_in_variables(batch, values, tower, devices[tower]) for tower, (batch, values) in enumerate(first)]
        counts = None
        if reading.remainder != "drop":
            counts = [_count(sizes.per_tower, tower, device) for tower, device in enumerate(devices)]
        plan = reading.plan("synthetic", None, sizes, {"batches": "the first one in every step"})
        # Other pipelines' shards advance from step to step.
        plan = plan._replace(steps_ahead=0, shards=tuple(
            "{:,} examples from example {:,} of the data on, the same in every step".format(
                sizes.per_tower, tower * sizes.per_tower
            ) for tower in range(sizes.towers)
        ))
        promise = Promise(EXACT, "each step has the same batches")
        return TowerBatches(
            per_tower, [], plan.with_promise(promise), counts=counts, padded=reading.remainder == "pad",
            position=Position(promise, sizes.global_, "the same batches in every step"),
        )


def _first_step(examples: Examples, sizes: Sizes) -> List[Tuple[Any, List[np.ndarray]]]:
    """Returns for each tower a structure that describes its batch, and the flat values."""
    if examples.arrays is None:
        first = StepGraph(examples, sizes.towers, sizes.per_tower, None, False, True).first_step()
        if first is None:
            raise InputError("there are no examples in {}".format(examples.describe()))
        return first
    # By indexing: a graph would copy the whole arrays.
    batch = structure.map_leaves(
        lambda leaf: tf.TensorSpec([sizes.per_tower] + leaf.shape.as_list(), leaf.dtype), examples.spec()
    )
    arrays, _ = structure.leaves_like(batch, examples.arrays)
    rows = (np.arange(sizes.global_) % examples.count()).reshape(sizes.towers, sizes.per_tower)
    return [(batch, [array[own] for array in arrays]) for own in rows]


def _in_variables(batch: NestedTensors, values: List[np.ndarray], tower: int, device: str) -> Any:
    """Returns tensors with the structure of `batch` (specs, or tensors of another graph), which read variables."""
    parts: List[Any] = []
    remaining = iter(values)
    with tf.name_scope(scope_within(tower_scope(tower) + "/input")):
        for path, leaf in structure.leaves(batch):
            read = [
                _variable(next(remaining), tensor.dtype, tensor.shape, _name(path), device)
                for tensor in tf.nest.flatten(leaf, expand_composites=True)
            ]
            with tf.device(device):
                read = [tf.identity(tensor) for tensor in read]
                part = tf.nest.pack_sequence_as(leaf, read, expand_composites=True)
                parts.append(with_static_shape(part, leaf.shape) if isinstance(leaf, tf.SparseTensor) else part)
    return structure.pack(batch, iter(parts))


def _variable(array: np.ndarray, dtype: DType, shape: Any, name: str, device: str) -> Any:
    """Returns the value of a local variable that is initialized to `array` and has the static shape `shape`."""
    on_gpu = tf.DeviceSpec.from_string(device).device_type == "GPU" and dtype.name not in _ON_GPUS
    with tf.device(host_device(device)):
        # Not a constant: the graph would contain the batch, and TensorFlow could fold it.
        initial = tf.numpy_function(lambda: array, [], dtype, name=name + "/value")
        initial.set_shape(shape)
    with tf.device(host_device(device) if on_gpu else device):
        variable = tf.Variable(
            initial, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], use_resource=True, name=name,
            validate_shape=shape.is_fully_defined(),
        )
        return variable.read_value()


def _name(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.\-/]", "_", path) or "batch"


def _count(number: int, tower: int, device: str) -> Any:
    with tf.name_scope(scope_within(tower_scope(tower) + "/input")):
        return _variable(np.array(number, np.int32), tf.int32, tf.TensorShape([]), "count", host_device(device))
