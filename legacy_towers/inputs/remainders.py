"""Datasets whose last global batch may be incomplete: each batch with the number of its true examples.

An element is (batch, count) with the batch of one tower, or for the route "split" a tuple of them, one per tower. It is
made in the dataset, by its own threads: a full batch passes through without a copy, and the step computes nothing more.
"""
from typing import Any, Callable, Optional, Tuple

from legacy_towers import structure
from legacy_towers.compat import tf
from legacy_towers.compat.data import scan
from legacy_towers.inputs.splitting import check_can_be_filled, choose, deal

NO_SIZE = 0


def dealt(batches: Any, towers: int, per_tower: Optional[int], remainder: str) -> Any:
    """Returns a dataset of a step's parts, ((batch, count) per tower), from one of global batches.

    Args:
      batches: a dataset of global batches; they are as large as the first one, or smaller.
      towers: how many parts.
      per_tower: examples of a full part; None where the first global batch tells, which is then dealt out evenly.
      remainder: "short" or "pad"; see `deal`.

    Raises:
      InputError: a component is no dense tensor, or has no first axis.
    """
    check_can_be_filled(batches.element_spec, remainder)

    def parts_of(batch: Any, size: Any) -> Tuple[Tuple[Any, Any], ...]:
        return tuple(zip(*deal(batch, towers, size, remainder)))

    if per_tower is not None:
        return batches.map(_of_one_element(batches, lambda batch: parts_of(batch, per_tower)))

    def with_size(size: Any, batch: Any) -> Tuple[Any, Any]:
        # Only the first batch finds no size.
        size = tf.where_v2(tf.equal(size, NO_SIZE), -(-_rows(batch) // towers), size)
        return size, parts_of(batch, size)

    return scan(batches, tf.constant(NO_SIZE, tf.int32), _as_it_is(with_size))


def filled(batches: Any, towers: int, per_tower: Optional[int], remainder: str, fillers: int) -> Any:
    """Returns a dataset of (batch, count) from one of per-tower batches, of which each `towers` make a step.

        3 towers of 2, 2 fillers, "short":  [a b] [c d] [e f]  [g]             ->  ... 1: [g]    0: [g]    0: [g]
                                  "pad":    [a b] [c d] [e f]  [g]             ->  ... 1: [g g]  0: [g g]  0: [g g]

    What is missing is filled up with the first example of the step, as `deal` does it.

    Args:
      batches: a dataset of per-tower batches, of which the last may be short.
      towers: batches in a step.
      per_tower: examples of a full batch; None where the first one tells.
      remainder: "short" or "pad".
      fillers: how many batches without a true example to add at the end. With `towers` - 1 of them a last incomplete
        step becomes complete, and what is left over never fills another one.

    Raises:
      InputError: a component is no dense tensor, or has no first axis.
    """
    check_can_be_filled(batches.element_spec, remainder)
    counted = batches.map(_of_one_element(batches, lambda batch: (batch, _rows(batch))))
    empty = _empty(batches.element_spec)
    if fillers:
        none = (empty, tf.constant(0, tf.int32))
        counted = counted.concatenate(tf.data.Dataset.from_tensors(none).repeat(fillers))
    return completed(counted, towers, per_tower, remainder)


def with_count(batches: Any, count: int) -> Any:
    """Returns a dataset of (batch, `count`): one count for all."""
    return batches.map(_of_one_element(batches, lambda batch: (batch, tf.constant(count, tf.int32))))


def completed(counted: Any, towers: int, per_tower: Optional[int], remainder: str) -> Any:
    """Returns the dataset of (batch, count) `counted` with the missing rows of each batch filled up; see `filled`.

    A batch whose count is 0 may have any number of rows: without any it is filled up by another's.
    """

    def complete(state: Any, element: Any) -> Any:
        place, size, before = state
        batch, count = element
        leaves = structure.leaves_of(batch)
        # The batch that began the step is only kept, not copied. Fillers that are left over keep that of the last step.
        begins = tf.equal(place % towers, 0) & (_rows(batch) > 0)
        first = choose(begins, lambda: leaves, lambda: before)
        size = tf.where_v2(tf.equal(size, NO_SIZE), count, size)
        if remainder == "short":
            rows = choose(count > 0, lambda: leaves, lambda: [leaf[:1] for leaf in first])
        else:
            rows = choose(tf.equal(count, size), lambda: leaves, lambda: _padded(leaves, count, first, size))
            for row, leaf in zip(rows, leaves):
                row.set_shape(tf.TensorShape([per_tower]).concatenate(leaf.shape[1:]))
        return (place + 1, size, tuple(first)), (structure.pack(batch, iter(rows)), count)

    start = tuple(structure.leaves_of(_empty(counted.element_spec[0])))
    size = tf.constant(per_tower or NO_SIZE, tf.int32)
    return scan(counted, (tf.constant(0, tf.int64), size, start), _as_it_is(complete))


def _padded(leaves: Any, count: Any, first: Any, size: Any) -> Any:
    """Returns `leaves` with copies of the first row of `first` behind, up to `size` rows."""
    fits = tf.Assert(count <= size, ["a batch for a tower holds more examples than the first one:", count, size])
    with tf.control_dependencies([fits]):
        # Without any example there is nothing to copy.
        missing = tf.where_v2(tf.shape(first[0])[0] > 0, size - count, 0)
        copies = [tf.gather(leaf, tf.zeros([missing], tf.int32)) for leaf in first]
    # An empty batch need not know the further dimensions, so it can't always be concatenated.
    return choose(
        count > 0,
        lambda: [tf.concat([leaf[:count], copy], axis=0) for leaf, copy in zip(leaves, copies)],
        lambda: copies,
    )


def _rows(batch: Any) -> Any:
    return tf.shape(structure.leaves_of(batch)[0])[0]


def _empty(spec: Any) -> Any:
    """Returns tensors without an example; a dimension that the graph doesn't know is 0."""
    def zeros(leaf: Any) -> Any:
        shape = [0] if leaf.shape.ndims is None else [0] + [size or 0 for size in leaf.shape.as_list()[1:]]
        return tf.zeros(shape, leaf.dtype)

    return structure.map_leaves(zeros, spec)


def _of_one_element(dataset: Any, function: Callable[[Any], Any]) -> Callable[..., Any]:
    """Returns `function` for `Dataset.map`, which passes the parts of an element that is a tuple one by one."""
    if type(dataset.element_spec) is tuple:  # a namedtuple comes whole
        return _as_it_is(lambda *parts: function(parts))
    return _as_it_is(function)


def _as_it_is(function: Callable[..., Any]) -> Callable[..., Any]:
    return tf.autograph.experimental.do_not_convert(function)
