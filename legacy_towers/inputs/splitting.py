"""Splits a global batch into one batch per tower: dense, sparse and ragged components."""
from typing import Any, Callable, List, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.data import structure
from legacy_towers.errors import InputError
from legacy_towers.inputs.base import with_static_shape
from legacy_towers.tensor_types import NestedTensors, Tensor


def split_batch(batch: NestedTensors, towers: int) -> List[NestedTensors]:
    """Splits each component along its first axis, in order.

        batch of 6, 3 towers:  [a b c d e f]  ->  [a b] [c d] [e f]

    Args:
      batch: a structure of dense, sparse or ragged tensors of shape [global batch size, ...].
      towers: number of parts. A batch size that is not known statically is checked when the graph runs.

    Returns:
      A list with one structure per tower, whose components have the shape [global batch size / towers, ...].

    Raises:
      InputError: the static batch size is not divisible by `towers`, components have different static batch sizes, or a
        component is a scalar.
    """
    components = _components(batch, "it can't be split among {} towers".format(towers))
    pieces = [_split(value, towers, name, components[0]) for name, value in components]
    return [structure.pack(batch, iter(parts)) for parts in zip(*pieces)]


def split_incomplete(
    batch: NestedTensors, towers: int, per_tower: Any, remainder: str
) -> Tuple[List[NestedTensors], List[Tensor]]:
    """Splits a batch that may be incomplete: tower k gets the examples from k * per_tower on, as far as they exist.

        3 towers of 2, "short":  [a b c]  ->  [a b] [c]   [a]    counts 2 1 0
        3 towers of 2, "pad":    [a b c]  ->  [a b] [c a] [a a]  counts 2 1 0

    A tower without an example gets the first one of the batch, so that no model sees an empty batch; its count is 0. A
    full batch is split as by `split_batch`, without gathering rows.

    Args:
      batch: a structure of dense tensors of shape [n, ...], 1 <= n <= towers * per_tower; a run fails with another n.
      per_tower: examples of a full part: a number, or an int32 scalar tensor.

    Returns:
      The parts, and an int32 scalar per tower: its number of examples without copies.

    Raises:
      InputError: a component is sparse, ragged or a scalar, or its number of examples differs from the first one's.
    """
    check_fillable(batch, remainder)
    components = _components(batch, "it can't be split among {} towers".format(towers))
    static_size = per_tower if isinstance(per_tower, int) else None
    if static_size is not None and _known_rows(components[0][1]) == towers * static_size:
        return split_batch(batch, towers), [tf.constant(static_size, tf.int32)] * towers
    tensors = [_with_rows_of(components[0], name, value) for name, value in components]
    rows, whole = rows_of(tensors[0]), towers * per_tower
    counts = [tf.clip_by_value(rows - tower * per_tower, 0, per_tower) for tower in range(towers)]

    def full() -> List[Any]:
        return [part for tensor in tensors for part in tf.split(tensor, towers)]

    def incomplete() -> List[Any]:
        fits = tf.Assert((rows >= 1) & (rows <= whole), [
            "a batch for {} towers must have at least 1 example and at most".format(towers), whole, "it has", rows
        ])
        with tf.control_dependencies([fits]):
            end = tf.identity(rows)
        pieces = []
        for tensor in tensors:
            for tower in range(towers):
                length = per_tower if remainder == "pad" else tf.maximum(counts[tower], 1)
                own = tower * per_tower + tf.range(length)
                pieces.append(tf.gather(tensor, tf.where_v2(own < end, own, tf.zeros_like(own))))
        return pieces

    parts = cond_list(tf.equal(rows, whole), full, incomplete)
    for index, part in enumerate(parts):
        size = static_size if remainder == "pad" else None
        part.set_shape(tf.TensorShape([size]).concatenate(tensors[index // towers].shape[1:]))
    return [structure.pack(batch, iter(parts[tower::towers])) for tower in range(towers)], counts


def cond_list(
    condition: Any, true_fn: Callable[[], Sequence[Any]], false_fn: Callable[[], Sequence[Any]]
) -> List[Any]:
    """Returns the list of tensors of `tf.cond(condition, true_fn, false_fn)`."""
    # tf.cond returns a single tensor if its functions return a list of one.
    return list(tf.nest.flatten(tf.cond(condition, lambda: list(true_fn()), lambda: list(false_fn()))))


def check_fillable(batch: NestedTensors, remainder: str) -> None:
    """Raises InputError if a component of `batch`, a structure of tensors or specs, is sparse, ragged or a scalar."""
    for path, leaf in structure.leaves(batch):
        is_dense = isinstance(leaf, (tf.Tensor, tf.TensorSpec))
        if not is_dense or leaf.shape.ndims == 0:
            raise InputError(
                "component {!r} is {}: remainder={!r} needs dense components of shape [examples, ...]".format(
                    path, "a scalar" if is_dense else "a " + type(leaf).__name__.replace("Spec", ""), remainder
                )
            )


def _components(batch: NestedTensors, why: str) -> List[Tuple[str, Any]]:
    """Returns (name, tensor) of each component; checks that all have a first axis of the same static size."""
    components: List[Tuple[str, Any]] = []
    for path, value in structure.leaves(batch):
        name = "component {!r}".format(path) if path else "the batch"
        if not isinstance(value, (tf.SparseTensor, tf.RaggedTensor)):
            value = tf.convert_to_tensor(value)
        if value.shape.ndims == 0:
            raise InputError("{} is a scalar: {}".format(name, why))
        components.append((name, value))
    known = [(name, _known_rows(value)) for name, value in components if _known_rows(value) is not None]
    for name, rows in known[1:]:
        if rows != known[0][1]:
            raise InputError(
                "{} has {} examples, but {} has {}: all components of a batch must have the same number".format(
                    name, rows, *known[0]
                )
            )
    return components


def _known_rows(value: Any) -> Any:
    return None if value.shape.ndims is None else tf.dimension_value(value.shape[0])


def rows_of(value: Any) -> Any:
    """Returns the number of examples in `value`, an int32 scalar."""
    if isinstance(value, tf.RaggedTensor):
        return value.nrows(out_type=tf.int32)
    return tf.cast(value.dense_shape[0], tf.int32) if isinstance(value, tf.SparseTensor) else tf.shape(value)[0]


def _with_rows_of(first: Tuple[str, Any], name: str, value: Any) -> Any:
    """Returns the dense `value`; a run fails if its number of examples differs from that of the component `first`."""
    if value is first[1] or None not in (_known_rows(value), _known_rows(first[1])):
        return value
    with tf.control_dependencies([_same_rows(rows_of(value), name, first)]):
        return tf.identity(value)


def _same_rows(rows: Any, name: str, first: Tuple[str, Any]) -> Any:
    of_first = rows_of(first[1])
    return tf.Assert(tf.equal(rows, of_first), [
        "{} and {} must have the same number of examples; they have".format(name, first[0]), rows, of_first
    ])


def _split(value: Any, towers: int, name: str, first: Tuple[str, Any]) -> List[Any]:
    shape, known = value.shape, _known_rows(value)
    if known is not None and known % towers:
        raise InputError("{}: {} examples can't be split among {} towers".format(name, known, towers))
    if isinstance(value, tf.RaggedTensor):
        size = _checked_size(value, towers, name, first)
        return [value[tower * size:(tower + 1) * size] for tower in range(towers)]
    if isinstance(value, tf.SparseTensor):
        with tf.control_dependencies([_checked_size(value, towers, name, first)]):
            value = tf.SparseTensor(value.indices, value.values, tf.identity(value.dense_shape))
        parts = tf.sparse.split(sp_input=value, num_split=towers, axis=0)
        if shape.ndims is None:
            return parts
        of_part = tf.TensorShape([None if known is None else known // towers]).concatenate(shape[1:])
        return [with_static_shape(part, of_part) for part in parts]
    if known is None or _known_rows(first[1]) is None:
        with tf.control_dependencies([_checked_size(value, towers, name, first)]):
            value = tf.identity(value)
    return tf.split(value, towers)


def _checked_size(value: Any, towers: int, name: str, first: Tuple[str, Any]) -> Any:
    """Returns the rows per tower; a run fails if they are not divisible, or differ from the first component's."""
    rows = rows_of(value)
    if value is first[1]:
        fits = tf.Assert(tf.equal(rows % towers, 0), [
            "{}: the number of examples must be divisible by {} towers; there are".format(name, towers), rows
        ])
    else:
        fits = _same_rows(rows, name, first)
    with tf.control_dependencies([fits]):
        return tf.identity(rows // towers)
