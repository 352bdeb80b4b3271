"""What an exported model is given: a placeholder per component of a batch, or serialized records that it parses."""
from typing import Any, Dict, List, NamedTuple, Optional

from legacy_towers.compat import tf
from legacy_towers.data import structure
from legacy_towers.data.example_set import ExampleSet
from legacy_towers.data.records import RecordFiles
from legacy_towers.errors import ArgumentError
from legacy_towers.tensor_types import NestedTensors

# The name of a batch, or of predictions, that is a single tensor; and that of serialized records.
BATCH, PREDICTIONS, RECORDS = "batch", "predictions", "examples"


class ServedInputs(NamedTuple):
    """The batch of an exported model, and what it is computed from.

    Attributes:
      batch: what the model function gets.
      placeholders: name of an input -> placeholder, or SparseTensor of placeholders.
    """

    batch: NestedTensors
    placeholders: Dict[str, Any]


def batch_inputs(batch: Any, batch_size: Optional[int]) -> ServedInputs:
    """Creates a placeholder for each component of a batch.

    Args:
      batch: the Examples that batches are made of, or a structure of `tf.TensorSpec` and `tf.SparseTensorSpec` with the
        batch axis: [None, 28, 28].
      batch_size: the first dimension; None: as `batch` has it, and any number for Examples.

    Raises:
      ArgumentError: a component is neither dense nor sparse, or has no batch axis.
    """
    spec = _spec_of(batch, batch_size) if isinstance(batch, ExampleSet) else batch
    named = structure.leaves(spec)
    made = [_placeholder(path or BATCH, leaf, batch_size) for path, leaf in named]
    return ServedInputs(
        structure.pack(spec, iter(made)), {path or BATCH: leaf for (path, _), leaf in zip(named, made)}
    )


def record_inputs(examples: Any, batch_size: Optional[int]) -> ServedInputs:
    """Creates a placeholder for serialized records, a string tensor of shape [batch], and parses each of them.

    Args:
      examples: Examples whose parse function takes one string: TFRecords, fixed-length records or lines.
      batch_size: how many records there are; None: any number.

    Raises:
      ArgumentError: the examples have no such parse function, or it returns a component that is not dense.
    """
    if not isinstance(examples, ExampleSet) or not isinstance(examples.source, RecordFiles):
        raise ArgumentError(
            "serialized records can't be served: the examples must come from TFRecords, fixed-length records or lines, "
            "whose parse function the model then runs, not from {}".format(
                examples.describe() if isinstance(examples, ExampleSet) else repr(examples)
            )
        )
    spec = _spec_of(examples, batch_size)
    for path, leaf in structure.leaves(spec):
        if not isinstance(leaf, tf.TensorSpec):
            raise ArgumentError(
                "serialized records can't be served: component {!r} of the parsed examples is {}, and records are "
                "parsed one by one into dense tensors".format(path, type(leaf).__name__)
            )
    records = tf.placeholder(tf.string, [batch_size], name=RECORDS)
    with tf.device("/cpu:0"):
        parsed = tf.map_fn(examples.parser(), records, structure.map_leaves(lambda leaf: leaf.dtype, spec))
    for leaf, expected in zip(structure.leaves_of(parsed), structure.leaves_of(spec)):
        leaf.set_shape(expected.shape)
    return ServedInputs(parsed, {RECORDS: records})


def components(leaf: Any) -> List[Any]:
    """Returns the tensors of a dense or sparse tensor."""
    return [leaf.indices, leaf.values, leaf.dense_shape] if isinstance(leaf, tf.SparseTensor) else [leaf]


def like(leaf: Any, tensors: List[Any]) -> Any:
    """Returns a tensor like `leaf`, dense or sparse, of other `components`."""
    return tf.SparseTensor(*tensors) if isinstance(leaf, tf.SparseTensor) else tensors[0]


def _spec_of(examples: ExampleSet, batch_size: Optional[int]) -> Any:
    """Returns the structure of a batch of examples."""
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        batches = examples.dataset(shuffle=False).batch(batch_size or 1, drop_remainder=batch_size is not None)
        return batches.element_spec


def _placeholder(name: str, spec: Any, batch_size: Optional[int]) -> Any:
    if not isinstance(spec, (tf.TensorSpec, tf.SparseTensorSpec)):
        raise ArgumentError(
            "component {!r} of the batch is {}: an exported model takes dense and sparse tensors, described by "
            "tf.TensorSpec and tf.SparseTensorSpec".format(name, spec if isinstance(spec, tf.DType) else
                                                           type(spec).__name__)
        )
    shape = tf.TensorShape(spec.shape)
    if shape.ndims == 0:
        raise ArgumentError("component {!r} of the batch has no batch axis: its shape must be [None, ...]".format(name))
    if batch_size is not None and shape.ndims is not None:
        shape = tf.TensorShape([batch_size]).concatenate(shape[1:])
    if isinstance(spec, tf.TensorSpec):
        return tf.placeholder(spec.dtype, shape)
    return tf.SparseTensor(
        tf.placeholder(tf.int64, [None, shape.ndims]),
        tf.placeholder(spec.dtype, [None]),
        tf.placeholder(tf.int64, [shape.ndims]),
    )
