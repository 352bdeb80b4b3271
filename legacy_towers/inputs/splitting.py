"""A global batch to one batch per tower: dense, sparse and ragged components alike."""
from typing import Any, Callable, List, Sequence, Tuple

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
      InputError: a batch size that the graph knows can't be divided, components have different ones, or a component has
        no first axis.
    """
    components = _components(batch, "it can't be split among {} towers".format(towers))
    pieces = [_split(value, towers, name, components[0]) for name, value in components]
    return [structure.pack(batch, iter(parts)) for parts in zip(*pieces)]


def deal(batch: Any, towers: int, per_tower: Any, remainder: str) -> Tuple[List[Any], List[Any]]:
    """Splits a batch that may be incomplete: tower k gets the examples from k * per_tower on, as far as there are any.

        3 towers of 2, "short":  [a b c]  ->  [a b] [c]   [a]    counts 2 1 0
        3 towers of 2, "pad":    [a b c]  ->  [a b] [c a] [a a]  counts 2 1 0

    A tower without an example of its own gets the first one of the batch, so that no model sees an empty batch; its
    count is 0. A full batch is only split, as by `split_batch`, and no row of it is gathered.

    Args:
      batch: a structure of dense tensors of shape [n, ...], 1 <= n <= towers * per_tower; another n fails as it runs.
      towers: how many parts.
      per_tower: examples of a full part: a number, or an int32 scalar where only the running graph knows it.
      remainder: "short" or "pad".

    Returns:
      The parts, and an int32 scalar per tower: its true examples.

    Raises:
      InputError: a component is sparse or ragged, has no first axis, or another number of examples than the first one.
    """
    check_can_be_filled(batch, remainder)
    components = _components(batch, "it can't be dealt out to {} towers".format(towers))
    static_size = per_tower if isinstance(per_tower, int) else None
    if static_size is not None and _known_rows(components[0][1]) == towers * static_size:
        return split_batch(batch, towers), [tf.constant(static_size, tf.int32)] * towers
    tensors = [_with_rows_of(components[0], name, value) for name, value in components]
    rows, whole = _rows(tensors[0]), towers * per_tower
    counts = [tf.clip_by_value(rows - tower * per_tower, 0, per_tower) for tower in range(towers)]

    def full() -> List[Any]:
        return [part for tensor in tensors for part in tf.split(tensor, towers)]

    def incomplete() -> List[Any]:
        fits = tf.Assert((rows >= 1) & (rows <= whole), [
            "a batch for {} towers must hold at least 1 example and at most".format(towers), whole, "it holds", rows
        ])
        with tf.control_dependencies([fits]):
            end = tf.identity(rows)
        parts = []
        for tensor in tensors:
            for tower in range(towers):
                length = per_tower if remainder == "pad" else tf.maximum(counts[tower], 1)
                own = tower * per_tower + tf.range(length)
                parts.append(tf.gather(tensor, tf.where_v2(own < end, own, tf.zeros_like(own))))
        return parts

    dealt = choose(tf.equal(rows, whole), full, incomplete)
    for index, part in enumerate(dealt):
        size = static_size if remainder == "pad" else None
        part.set_shape(tf.TensorShape([size]).concatenate(tensors[index // towers].shape[1:]))
    return [structure.pack(batch, iter(dealt[tower::towers])) for tower in range(towers)], counts


def choose(condition: Any, when_true: Callable[[], Sequence[Any]], otherwise: Callable[[], Sequence[Any]]) -> List[Any]:
    """Returns the tensors that one of two functions gives, of which only that one runs; always a list."""
    # tf.cond gives a lone tensor where a list of one was returned.
    return list(tf.nest.flatten(tf.cond(condition, lambda: list(when_true()), lambda: list(otherwise()))))


def check_can_be_filled(batch: Any, remainder: str) -> None:
    """Raises InputError where a component of `batch`, of tensors or specs, is sparse, ragged or a single value."""
    for path, leaf in structure.leaves(batch):
        is_dense = isinstance(leaf, (tf.Tensor, tf.TensorSpec))
        if not is_dense or leaf.shape.ndims == 0:
            raise InputError(
                "component {!r} is {}: remainder={!r} needs dense components whose first axis is the example".format(
                    path, "a single value" if is_dense else type(leaf).__name__.replace("Spec", ""), remainder
                )
            )


def _components(batch: Any, why: str) -> List[Tuple[str, Any]]:
    """Returns (name, tensor) of each component, once all have a first axis and none is known to have another size."""
    components: List[Tuple[str, Any]] = []
    for path, value in structure.leaves(batch):
        name = "component {!r}".format(path) if path else "the batch"
        if not isinstance(value, (tf.SparseTensor, tf.RaggedTensor)):
            value = tf.convert_to_tensor(value)
        if value.shape.ndims == 0:
            raise InputError("{} is a single value: {}".format(name, why))
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


def _rows(value: Any) -> Any:
    """Returns the number of examples in `value`, an int32 scalar."""
    if isinstance(value, tf.RaggedTensor):
        return value.nrows(out_type=tf.int32)
    return tf.cast(value.dense_shape[0], tf.int32) if isinstance(value, tf.SparseTensor) else tf.shape(value)[0]


def _with_rows_of(first: Tuple[str, Any], name: str, value: Any) -> Any:
    """Returns the dense `value`; as it runs, it fails where it has not as many examples as the component `first`."""
    if value is first[1] or None not in (_known_rows(value), _known_rows(first[1])):
        return value
    with tf.control_dependencies([_as_many(_rows(value), name, first)]):
        return tf.identity(value)


def _as_many(rows: Any, name: str, first: Tuple[str, Any]) -> Any:
    of_first = _rows(first[1])
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
    """Returns a tower's number of rows; as it runs, it fails where the rows can't be divided, or aren't the first's."""
    rows = _rows(value)
    if value is first[1]:
        fits = tf.Assert(tf.equal(rows % towers, 0), [
            "{}: the examples of a batch must divide among {} towers; there are".format(name, towers), rows
        ])
    else:
        fits = _as_many(rows, name, first)
    with tf.control_dependencies([fits]):
        return tf.identity(rows // towers)
