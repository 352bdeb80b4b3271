"""Checks that a training and a validation pipeline have compatible batches."""
from typing import Any, List

from legacy_towers.compat import tf
from legacy_towers.data import structure
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.inputs.base import Input, TowerBatches
from legacy_towers.inputs.splitting import rows_of
from legacy_towers.tensor_types import NestedTensors, Tensor


def check_inputs(function: str, train: Any, validation: Any) -> None:
    """Raises ArgumentError, which names the calling `function`, unless both are input pipelines."""
    for name, pipeline in (("train", train), ("validation", validation)):
        if not isinstance(pipeline, Input):
            raise ArgumentError(
                "{}: {} must be an lt.inputs.Input, got {}; create one with lt.inputs.dataset(...), for example".format(
                    function, name, type(pipeline).__name__
                )
            )


def check_compatible(train: Any, validation: Any) -> None:
    """Raises InputError, which names the component, unless both batches have the same structure, dtypes and ranks.

    Args:
      train, validation: structures of tensors, or of TensorSpecs, SparseTensorSpecs and RaggedTensorSpecs.
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
                    "{} is ragged, {} in training and {} in validation, and one iterator can't return both: use "
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


def example_counts(batches: TowerBatches, wanted: bool) -> List[Tensor]:
    """Returns the examples of each tower's batch without copies: `counts`, or all rows. Returns [] unless `wanted`."""
    if not wanted:
        return []
    if batches.counts is not None:
        return list(batches.counts)
    return [_rows(batch) for batch in batches.per_tower]


def _rows(batch: NestedTensors) -> Tensor:
    for _, leaf in structure.leaves(batch):
        if isinstance(leaf, (tf.SparseTensor, tf.RaggedTensor)) or leaf.shape.ndims != 0:
            return rows_of(leaf)
    raise InputError("all components of the batch are scalars, so its examples can't be counted")
