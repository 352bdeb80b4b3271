"""Two ways in for one model: their batches must be alike."""
from typing import Any, List

from legacy_towers import structure
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.inputs.base import Input, TowerBatches


def check_ways(function: str, train: Any, validation: Any) -> None:
    """Raises ArgumentError unless both are ways in."""
    for name, way_in in (("train", train), ("validation", validation)):
        if not isinstance(way_in, Input):
            raise ArgumentError(
                "{}: {} is a {}, not a way in such as lt.inputs.dataset(...)".format(
                    function, name, type(way_in).__name__
                )
            )


def check_alike(train: Any, validation: Any) -> None:
    """Raises InputError, which names the component, unless two batches have the same structure, dtypes and ranks.

    Args:
      train, validation: structures of tensors; of TensorSpecs, SparseTensorSpecs and RaggedTensorSpecs.
    """
    found, wrong = structure.leaves_like(train, validation)
    if wrong:
        raise InputError("the validation batch differs from the training batch: {}".format(wrong))
    for (path, one), other in zip(structure.leaves(train), found):
        name = "component {!r}".format(path) if path else "the batch"
        kinds = [_kind(leaf) for leaf in (one, other)]
        if kinds[0] != kinds[1]:
            raise InputError("{} is {} in training and {} in validation".format(name, *kinds))
        if isinstance(one, tf.RaggedTensorSpec):
            if one != other:
                raise InputError(
                    "{} is ragged, {} in training and {} in validation, which one iterator can't give both of: use "
                    'by="placeholder"'.format(name, one, other)
                )
            continue
        if one.dtype.base_dtype != other.dtype.base_dtype:
            raise InputError(
                "{} is {} in training and {} in validation: cast one of them".format(
                    name, one.dtype.base_dtype.name, other.dtype.base_dtype.name
                )
            )
        ranks = one.shape.ndims, other.shape.ndims
        if None not in ranks and ranks[0] != ranks[1]:
            raise InputError(
                "{} has the shape {} in training and {} in validation".format(name, one.shape, other.shape)
            )


def _kind(leaf: Any) -> str:
    if isinstance(leaf, (tf.SparseTensor, tf.SparseTensorSpec)):
        return "sparse"
    if isinstance(leaf, (tf.RaggedTensor, tf.RaggedTensorSpec)):
        return "ragged"
    return "dense"


def counts_of(batches: TowerBatches, wanted: bool) -> List[Any]:
    """Returns the true examples of each tower's batch, if they are wanted: all rows, unless the way in counts them."""
    if not wanted:
        return []
    if batches.counts is not None:
        return list(batches.counts)
    return [_rows(batch) for batch in batches.per_tower]


def _rows(batch: Any) -> Any:
    for _, leaf in structure.leaves(batch):
        if isinstance(leaf, tf.SparseTensor):
            return tf.cast(leaf.dense_shape[0], tf.int32)
        if isinstance(leaf, tf.RaggedTensor):
            return tf.cast(leaf.nrows(), tf.int32)
        if leaf.shape.ndims != 0:
            return tf.shape(leaf)[0]
    raise InputError("no component of the batch has an axis of examples, so they can't be counted")
