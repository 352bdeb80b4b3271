"""Checks of the losses that `DistributedOptimizer.compute_gradients` is given."""
import collections
from typing import Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError
from legacy_towers.graph.walk import ancestors, descendants
from legacy_towers.tensor_types import Tensor, Variable


def check_losses(losses: Sequence[Tensor]) -> None:
    """Raises ArgumentError where a loss is not a tensor, or two towers have the same."""
    for index, each in enumerate(losses):
        if not tf.is_tensor(each):
            raise ArgumentError("the loss of tower {} is {!r}: give a scalar tensor per tower".format(index, each))
        for other in range(index):
            if losses[other] is each:
                raise ArgumentError(
                    "towers {} and {} have the same loss, {!r}: give each tower's own, of its own batch".format(
                        other, index, each.name
                    )
                )


def check_only_loss(loss: Tensor, variables: Sequence[Variable]) -> None:
    """Raises TowerError if the graph has another loss like this one, of the same variables: another tower's."""
    ours = ancestors([loss])
    used = ours & {variable.op for variable in variables}
    alike = collections.Counter(operation.type for operation in ours)
    for operation in descendants(used) - ours:
        kinds = [(each.dtype, each.shape.ndims) for each in operation.outputs]
        if operation.type != loss.op.type or kinds != [(loss.dtype, loss.shape.ndims)]:
            continue
        theirs = ancestors([operation])
        # What is computed from this loss, such as its moving average, is not another tower's loss.
        if loss.op in theirs or not used <= theirs:
            continue
        if operation.device != loss.device or collections.Counter(each.type for each in theirs) == alike:
            raise TowerError(
                "the loss is {!r} alone, but {!r} looks like the loss of another tower, of the same variables: pass a "
                "list with every tower's loss, or [loss] to train this tower alone".format(
                    loss.name, operation.outputs[0].name
                )
            )
