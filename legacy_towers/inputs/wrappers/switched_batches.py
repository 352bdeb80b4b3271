"""The graph of a switch between two built pipelines, of which each run executes only one."""
from typing import Any, List, Optional, Sequence, Tuple

from legacy_towers.compat import tf
from legacy_towers.compat.versions.graph import is_in_control_flow, run_after
from legacy_towers.data import structure
from legacy_towers.errors import InputError
from legacy_towers.graph.walk import ancestors
from legacy_towers.inputs.base import TowerBatches, host_device, scope_within, with_static_shape
from legacy_towers.inputs.tf_data.switched_dataset import common_shape
from legacy_towers.inputs.wrappers.compatible_batches import check_compatible, example_counts
from legacy_towers.tensor_types import NestedTensors, Operation, Tensor
from legacy_towers.text.names import tower_scope


def switched_batches(
    train: TowerBatches, validation: TowerBatches, is_validating: Tensor, devices: Sequence[str]
) -> Tuple[List[NestedTensors], Optional[List[Tensor]]]:
    """Returns each tower's batch and count: those of `validation` in a run that feeds `is_validating`, else of `train`.

    Operations that take data run only on their side of the condition, as if they were in a branch of tf.cond: an
    operation with a control input from the side that is not taken does not run, nor do its consumers.
    """
    check_compatible(train.per_tower[0], validation.per_tower[0])
    with tf.name_scope("inputs"), tf.device(host_device(devices[0])):
        _run_only_when_selected(
            [[batches.per_tower, batches.counts or []] for batches in (train, validation)], is_validating
        )
    per_tower, counts = [], []
    counted = train.counts is not None or validation.counts is not None
    own_counts = list(zip(example_counts(train, counted), example_counts(validation, counted)))
    for tower, device in enumerate(devices):
        leaves = zip(structure.leaves_of(train.per_tower[tower]), structure.leaves_of(validation.per_tower[tower]))
        with tf.name_scope(scope_within(tower_scope(tower) + "/input")), tf.device(device):
            merged = [_merge_leaf(one, other, is_validating) for one, other in leaves]
            if counted:
                counts.append(_merge(own_counts[tower][0], own_counts[tower][1], is_validating))
        per_tower.append(structure.pack(train.per_tower[tower], iter(merged)))
    return per_tower, counts if counted else None


def _merge_leaf(train: Any, validation: Any, is_validating: Tensor) -> Any:
    def merge(one: Any, other: Any) -> Any:
        return _merge(one, other, is_validating)

    if isinstance(train, tf.SparseTensor):
        merged = tf.SparseTensor(
            merge(train.indices, validation.indices), merge(train.values, validation.values),
            merge(train.dense_shape, validation.dense_shape),
        )
        return with_static_shape(merged, common_shape(train.shape, validation.shape))
    if isinstance(train, tf.RaggedTensor):
        splits = zip(train.nested_row_splits, validation.nested_row_splits)
        return tf.RaggedTensor.from_nested_row_splits(
            merge(train.flat_values, validation.flat_values), [merge(*pair) for pair in splits], validate=False
        )
    return merge(train, validation)


def _merge(train: Any, validation: Any, is_validating: Tensor) -> Any:
    if train is validation:  # a placeholder that both pipelines feed
        return train
    of_train = tf.raw_ops.Switch(data=train, pred=is_validating)[0]
    of_validation = tf.raw_ops.Switch(data=validation, pred=is_validating)[1]
    merged = tf.raw_ops.Merge(inputs=[of_train, of_validation])[0]
    merged.set_shape(common_shape(train.shape, validation.shape))
    return merged


def _run_only_when_selected(sides: Sequence[Any], is_validating: Tensor) -> None:
    """Adds control inputs from `is_validating` to the operations that take data for one side only."""
    pivots = [tf.identity(side).op for side in tf.raw_ops.Switch(data=is_validating, pred=is_validating)]
    reached = [ancestors(side) for side in sides]
    for side, (mine, others) in enumerate([(reached[0], reached[1]), (reached[1], reached[0])]):
        for operation in sorted(mine - others, key=lambda each: str(each.name)):
            if not _takes_data(operation):
                continue
            if is_in_control_flow(operation):
                raise InputError(
                    "switch: {!r} takes data inside a tf.cond or a loop, where it can't be skipped in the runs of the "
                    "other pipeline: create it outside, or use lt.inputs.dataset".format(operation.name)
                )
            run_after(operation, pivots[side])


def _takes_data(operation: Operation) -> bool:
    """Returns whether an operation has a side effect or waits: a dequeue, a get_next, a placeholder."""
    if operation.type == "Placeholder":
        return True
    if operation.op_def is None or not operation.op_def.is_stateful:
        return False
    # Queues, iterators and variables themselves are used by queue runners, initializers and savers too.
    handles = [output for output in operation.outputs if output.dtype in (tf.resource, tf.variant) or _is_ref(output)]
    return bool(operation.inputs) or not handles


def _is_ref(tensor: Tensor) -> bool:
    return bool(tensor.dtype != tensor.dtype.base_dtype)
