"""Datasets whose last global batch may be incomplete: batches with the number of their examples without copies.

An element is (batch, count) for one tower, or for the route "split" a tuple of (batch, count) per tower. The dataset's
threads compute it: a full batch is not copied, and the step has no additional operations.
"""
from typing import Any, Callable, Optional, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions.data import scan
from legacy_towers.data import structure
from legacy_towers.inputs.splitting import check_fillable, cond_list, split_incomplete
from legacy_towers.tensor_types import Dataset, NestedTensors

NO_SIZE = 0


def split_batches(batches: Dataset, towers: int, per_tower: Optional[int], remainder: str) -> Dataset:
    """Splits a dataset of global batches into a dataset of tuples of (batch, count) per tower.

    Args:
      batches: a dataset of global batches, which are as large as the first one, or smaller.
      per_tower: examples of a full per-tower batch; None for those of the first global batch, divided by `towers`.

    Raises:
      InputError: a component is sparse, ragged or a scalar.
    """
    check_fillable(batches.element_spec, remainder)

    def parts_of(batch: NestedTensors, size: Any) -> Tuple[Tuple[Any, Any], ...]:
        return tuple(zip(*split_incomplete(batch, towers, size, remainder)))

    if per_tower is not None:
        return batches.map(_of_one_element(batches, lambda batch: parts_of(batch, per_tower)))

    def with_size(size: Any, batch: NestedTensors) -> Tuple[Any, Any]:
        # The first batch decides the size.
        size = tf.where_v2(tf.equal(size, NO_SIZE), -(-_rows(batch) // towers), size)
        return size, parts_of(batch, size)

    return scan(batches, tf.constant(NO_SIZE, tf.int32), _without_autograph(with_size))


def completed_steps(batches: Dataset, towers: int, per_tower: Optional[int], remainder: str, fillers: int) -> Dataset:
    """Adds counts to a dataset of per-tower batches, and completes its last step with copies.

        3 towers of 2, fillers=2       step 0                    step 1
        batches                        [a b]   [c d]   [e f]     [g]
        "short"   batch, count         [a b]2  [c d]2  [e f]2    [g]1    [g]0    [g]0
        "pad"     batch, count         [a b]2  [c d]2  [e f]2    [g g]1  [g g]0  [g g]0

    Missing examples are copies of the first one of the step, as in `split_incomplete`.

    Args:
      per_tower: examples of a full batch; None for those of the first batch.
      fillers: number of batches of copies to add at the end. `towers` - 1 of them complete any last step, and the
        unused ones never make another step.

    Raises:
      InputError: a component is sparse, ragged or a scalar.
    """
    check_fillable(batches.element_spec, remainder)
    counted = batches.map(_of_one_element(batches, lambda batch: (batch, _rows(batch))))
    empty = _empty(batches.element_spec)
    if fillers:
        none = (empty, tf.constant(0, tf.int32))
        counted = counted.concatenate(tf.data.Dataset.from_tensors(none).repeat(fillers))
    return completed_batches(counted, towers, per_tower, remainder)


def with_count(batches: Dataset, count: int) -> Dataset:
    """Returns a dataset of (batch, `count`), with the same count for all batches."""
    return batches.map(_of_one_element(batches, lambda batch: (batch, tf.constant(count, tf.int32))))


def completed_batches(counted: Dataset, towers: int, per_tower: Optional[int], remainder: str) -> Dataset:
    """Replaces missing rows in a dataset of (batch, count); see `completed_steps`.

    A batch whose count is 0 may have any number of rows. If it has none, it gets copies of another batch's.
    """

    def complete(state: Any, element: Any) -> Any:
        index, size, previous = state
        batch, count = element
        leaves = structure.leaves_of(batch)
        # The first batch of the step, without a copy. Unused fillers keep that of the last step.
        is_first = tf.equal(index % towers, 0) & (_rows(batch) > 0)
        first = cond_list(is_first, lambda: leaves, lambda: previous)
        size = tf.where_v2(tf.equal(size, NO_SIZE), count, size)
        if remainder == "short":
            rows = cond_list(count > 0, lambda: leaves, lambda: [leaf[:1] for leaf in first])
        else:
            rows = cond_list(tf.equal(count, size), lambda: leaves, lambda: _padded(leaves, count, first, size))
            for row, leaf in zip(rows, leaves):
                row.set_shape(tf.TensorShape([per_tower]).concatenate(leaf.shape[1:]))
        return (index + 1, size, tuple(first)), (structure.pack(batch, iter(rows)), count)

    start = tuple(structure.leaves_of(_empty(counted.element_spec[0])))
    size = tf.constant(per_tower or NO_SIZE, tf.int32)
    return scan(counted, (tf.constant(0, tf.int64), size, start), _without_autograph(complete))


def _padded(leaves: Any, count: Any, first: Any, size: Any) -> Any:
    """Returns `leaves` followed by copies of the first row of `first`, `size` rows in all."""
    fits = tf.Assert(count <= size, ["a per-tower batch has more examples than the first one:", count, size])
    with tf.control_dependencies([fits]):
        # An empty dataset has no example to copy.
        missing = tf.where_v2(tf.shape(first[0])[0] > 0, size - count, 0)
        copies = [tf.gather(leaf, tf.zeros([missing], tf.int32)) for leaf in first]
    # The other dimensions of an empty batch may be wrong, so that it can't always be concatenated.
    return cond_list(
        count > 0,
        lambda: [tf.concat([leaf[:count], copy], axis=0) for leaf, copy in zip(leaves, copies)],
        lambda: copies,
    )


def _rows(batch: NestedTensors) -> Any:
    return tf.shape(structure.leaves_of(batch)[0])[0]


def _empty(spec: Any) -> Any:
    """Returns tensors of shape [0, ...]; unknown dimensions are 0."""
    def zeros(leaf: Any) -> Any:
        shape = [0] if leaf.shape.ndims is None else [0] + [size or 0 for size in leaf.shape.as_list()[1:]]
        return tf.zeros(shape, leaf.dtype)

    return structure.map_leaves(zeros, spec)


def _of_one_element(dataset: Dataset, function: Callable[[Any], Any]) -> Callable[..., Any]:
    """Returns `function` for `Dataset.map`, which passes the parts of a tuple as separate arguments."""
    if type(dataset.element_spec) is tuple:  # a namedtuple comes whole
        return _without_autograph(lambda *parts: function(parts))
    return _without_autograph(function)


def _without_autograph(function: Callable[..., Any]) -> Callable[..., Any]:
    return tf.autograph.experimental.do_not_convert(function)
