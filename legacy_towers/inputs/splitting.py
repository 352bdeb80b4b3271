"""A global batch to one batch per tower: dense, sparse and ragged components alike."""
from typing import Any, List, Tuple

from legacy_towers import structure
from legacy_towers.compat import tf
from legacy_towers.errors import InputError
from legacy_towers.inputs.base import with_static_shape


def split_batch(batch: Any, towers: int) -> List[Any]:
    """Splits each component along its first axis, in order.

        batch of 6, 3 towers:  [a b c d e f]  ->  [a b] [c d] [e f]

    Args:
      batch: a structure of dense, sparse or ragged tensors of shape [global batch size, ...].
      towers: how many parts; a batch size that the graph doesn't know is checked as it runs.

    Raises:
      InputError: a batch size that the graph knows can't be divided, or a component has no first axis.
    """
    pieces = [_split(leaf, towers, path) for path, leaf in structure.leaves(batch)]
    return [structure.pack(batch, iter(parts)) for parts in zip(*pieces)]


def deal(batch: Any, towers: int, per_tower: int, remainder: str) -> Tuple[List[Any], List[Any]]:
    """Splits a batch that may be incomplete: tower k gets the examples from k * per_tower on, as far as there are any.

        3 towers of 2, "short":  [a b c]  ->  [a b] [c]   [a]    counts 2 1 0
        3 towers of 2, "pad":    [a b c]  ->  [a b] [c a] [a a]  counts 2 1 0

    A tower without an example of its own gets the first one of the batch, so that no model sees an empty batch; its
    count is 0.

    Args:
      batch: a structure of dense tensors of shape [n, ...], 1 <= n <= towers * per_tower.
      towers: how many parts.
      per_tower: examples of a full part.
      remainder: "short" or "pad".

    Returns:
      The parts, and an int32 scalar per tower: its true examples.

    Raises:
      InputError: a component is sparse or ragged, or has no first axis.
    """
    for path, leaf in structure.leaves(batch):
        if isinstance(leaf, (tf.SparseTensor, tf.RaggedTensor)) or leaf.shape.ndims == 0:
            raise InputError(
                "component {!r} is {}: remainder={!r} needs dense components whose first axis is the example".format(
                    path, "a single value" if isinstance(leaf, tf.Tensor) else type(leaf).__name__, remainder
                )
            )
    rows = tf.shape(structure.leaves(batch)[0][1])[0]
    parts, counts = [], []
    for tower in range(towers):
        own = tower * per_tower + tf.range(per_tower)
        count = tf.clip_by_value(rows - tower * per_tower, 0, per_tower)
        if remainder == "short":
            own = own[:tf.maximum(count, 1)]
        own = tf.where(own < rows, own, tf.zeros_like(own))
        parts.append(structure.map_leaves(_rows_taker(own), batch))
        counts.append(count)
    return parts, counts


def _rows_taker(rows: Any) -> Any:
    return lambda leaf: tf.gather(leaf, rows)


def _split(value: Any, towers: int, path: str) -> List[Any]:
    name = "component {!r}".format(path) if path else "the batch"
    if not isinstance(value, (tf.SparseTensor, tf.RaggedTensor)):
        value = tf.convert_to_tensor(value)
    shape = value.shape
    if shape.ndims == 0:
        raise InputError("{} is a single value: it can't be split among {} towers".format(name, towers))
    known = None if shape.ndims is None else tf.dimension_value(shape[0])
    if known is not None and known % towers:
        raise InputError("{}: {} examples can't be split among {} towers".format(name, known, towers))
    if isinstance(value, tf.RaggedTensor):
        rows = value.nrows(out_type=tf.int32)
        size = _checked_size(rows, towers, name)
        return [value[tower * size:(tower + 1) * size] for tower in range(towers)]
    if isinstance(value, tf.SparseTensor):
        with tf.control_dependencies([_checked_size(tf.cast(value.dense_shape[0], tf.int32), towers, name)]):
            value = tf.SparseTensor(value.indices, value.values, tf.identity(value.dense_shape))
        parts = tf.sparse.split(sp_input=value, num_split=towers, axis=0)
        if shape.ndims is None:
            return parts
        of_part = tf.TensorShape([None if known is None else known // towers]).concatenate(shape[1:])
        return [with_static_shape(part, of_part) for part in parts]
    if known is None:
        with tf.control_dependencies([_checked_size(tf.shape(value)[0], towers, name)]):
            value = tf.identity(value)
    return tf.split(value, towers)


def _checked_size(rows: Any, towers: int, name: str) -> Any:
    """Returns a tower's number of rows; as it runs, it fails where the rows can't be divided."""
    fits = tf.Assert(tf.equal(rows % towers, 0), [
        "{}: the examples of a batch must divide among {} towers; there are".format(name, towers), rows
    ])
    with tf.control_dependencies([fits]):
        return tf.identity(rows // towers)
