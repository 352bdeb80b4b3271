"""One batch for ever, held where each tower computes: what a step costs without any input.

    first global batch of the examples -> a local variable per tower and component, on the tower's device -> tower

Constants would not do: TensorFlow computes once, when it optimizes the graph, what depends on them alone (a whole
preprocessing took 0.09 ms in place of 38).
"""
import re
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from legacy_towers import structure
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.examples import Examples, Shuffle
from legacy_towers.examples.batches import StepGraph
from legacy_towers.inputs.base import Input, TowerBatches, host_device, scope_within, with_static_shape
from legacy_towers.inputs.reading import Reading
from legacy_towers.inputs.sizes import Sizes
from legacy_towers.names import tower_scope

# What a GPU keeps variables of. The others lie on its host and are copied at each step.
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
    """Returns the way in that gives each tower the same batch at every step, from a variable on its device.

    Nothing is read, parsed, fed or pulled while steps run: no way in can be faster. The values are real ones, the
    examples' first global batch in their own order, so that a model meets what it is made for. It never ends.

    Args:
      examples: an `lt.Examples`, whose first examples are read when the step is built; they begin anew where there are
        fewer than a step needs. Dense, sparse and ragged components.
      per_tower_batch_size, global_batch_size: examples per step, of a tower or of all of them; give one.
      epochs: None.
      shuffle: None or False.
      order: "any" or "fixed", which are the same here.
      remainder: as for the other ways in; with "pad" and "short" there are counts, always those of full batches.

    Raises:
      ArgumentError: the options contradict each other, or ask for epochs or a shuffled order.
    """
    if epochs is not None:
        raise ArgumentError("epochs={!r}: synthetic batches have no epochs and never end; leave it out".format(epochs))
    if shuffle:
        raise ArgumentError(
            "shuffle={!r}: a synthetic batch is the first one of the examples, in their order; leave it "
            "out".format(shuffle)
        )
    return SyntheticInput(
        Reading(examples, per_tower_batch_size, global_batch_size, None, False, order, remainder).checked()
    )


class SyntheticInput(Input):
    """See `synthetic`."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def build(self, devices: Sequence[str]) -> TowerBatches:
        reading = self._reading
        sizes = reading.sizes(len(devices))
        first = _first_step(reading.examples, sizes)
        per_tower = [_held(batch, values, tower, devices[tower]) for tower, (batch, values) in enumerate(first)]
        counts = None
        if reading.remainder != "drop":
            counts = [_count(sizes.per_tower, tower, device) for tower, device in enumerate(devices)]
        plan = reading.plan("synthetic", None, sizes, {"batches": "the first one, over and over"})
        # Not those of a way in that goes on from step to step.
        plan = plan._replace(shares=tuple(
            "{:,} from example {:,} of the data on, the same at every step".format(
                sizes.per_tower, tower * sizes.per_tower
            ) for tower in range(sizes.towers)
        ))
        return TowerBatches(per_tower, [], plan, counts=counts, padded=reading.remainder == "pad")


def _first_step(examples: Examples, sizes: Sizes) -> List[Tuple[Any, List[np.ndarray]]]:
    """Returns, for each tower, a structure that describes its batch, and the flat values."""
    if examples.arrays is None:
        first = StepGraph(examples, sizes.towers, sizes.per_tower, None, False, True).first_step()
        if first is None:
            raise InputError("there are no examples in {}".format(examples.describe()))
        return first
    # By their rows: a graph would read the arrays as a whole.
    batch = structure.map_leaves(
        lambda leaf: tf.TensorSpec([sizes.per_tower] + leaf.shape.as_list(), leaf.dtype), examples.spec()
    )
    arrays, _ = structure.leaves_like(batch, examples.arrays)
    rows = (np.arange(sizes.global_) % examples.count()).reshape(sizes.towers, sizes.per_tower)
    return [(batch, [array[own] for array in arrays]) for own in rows]


def _held(batch: Any, values: List[np.ndarray], tower: int, device: str) -> Any:
    """Returns a structure like `batch`, of specs or of another graph's tensors, that reads `values` from variables."""
    parts: List[Any] = []
    left = iter(values)
    with tf.name_scope(scope_within(tower_scope(tower) + "/input")):
        for path, leaf in structure.leaves(batch):
            read = [
                _variable(next(left), tensor.dtype, tensor.shape, _name(path), device)
                for tensor in tf.nest.flatten(leaf, expand_composites=True)
            ]
            with tf.device(device):
                read = [tf.identity(tensor) for tensor in read]
                part = tf.nest.pack_sequence_as(leaf, read, expand_composites=True)
                parts.append(with_static_shape(part, leaf.shape) if isinstance(leaf, tf.SparseTensor) else part)
    return structure.pack(batch, iter(parts))


def _variable(array: np.ndarray, dtype: Any, shape: Any, name: str, device: str) -> Any:
    """Returns the value of a local variable that starts as `array`; its static shape is `shape`."""
    on_gpu = tf.DeviceSpec.from_string(device).device_type == "GPU" and dtype.name not in _ON_GPUS
    with tf.device(host_device(device)):
        # Not as a constant: the graph would hold the batch, and TensorFlow could look into it.
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
