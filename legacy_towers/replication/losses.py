"""How a loss counts its examples, and so how the gradients of its towers are reduced to those of the whole batch.

    a mean over examples      the mean over towers, weighted by their examples
    a sum over examples       the sum over towers
    sum(loss) / count         the mean over towers, weighted by their counts
"""
from typing import List, NamedTuple, Optional, Set

from legacy_towers.graph.op_kinds import ADD_OPS, DIVIDE_OPS
from legacy_towers.replication.refusal import refuse
from legacy_towers.replication.rows import Rows
from legacy_towers.replication.static_counts import PASSED_OPS, is_mean
from legacy_towers.tensor_types import Operation, Tensor

MEAN = "mean"
SUM = "sum"
RATIO = "ratio"

_ADDED = ADD_OPS | {"Sub", "Pack"}


class Rule(NamedTuple):
    """How the gradients of towers are reduced.

    Attributes:
      kind: MEAN, SUM or RATIO.
      counted: of MEAN, the tensor whose elements are the weight of a tower, None for its examples; of RATIO, the count
        itself.
      operation: what reduces the losses of examples.
      adds_others: whether the loss adds what no example has a part in, such as a regularization loss.
    """

    kind: str
    counted: Optional[Tensor]
    operation: Operation
    adds_others: bool = False


def rule_of(roots: List[Tensor], rows: Rows, dependent: Set[Operation]) -> Rule:
    """Returns how the gradients of a loss, the sum of `roots`, are reduced.

    Raises:
      NotReplicable: the loss is neither a sum nor a mean over examples.
    """
    rules = [_rule(each, rows, dependent) for each in roots if each.op in dependent]
    return _together(rules, any(each.op not in dependent for each in roots))


def _together(rules: List[Rule], adds_others: bool) -> Rule:
    first = rules[0]
    for other in rules[1:]:
        if (first.kind == SUM) != (other.kind == SUM):
            refuse("its loss adds a sum over examples to a mean over examples, by {!r}: towers can't be weighted for "
                   "both".format(first.operation.name), other.operation)
    return first._replace(adds_others=adds_others or any(each.adds_others for each in rules))


def _rule(tensor: Tensor, rows: Rows, dependent: Set[Operation]) -> Rule:
    operation = tensor.op
    if tensor in rows:
        return Rule(SUM, None, operation)
    kind, inputs = operation.type, list(operation.inputs)
    own = [each for each in inputs if each.op in dependent]
    if kind in PASSED_OPS:
        return _rule(inputs[0], rows, dependent)
    if kind in _ADDED:
        return _together([_rule(each, rows, dependent) for each in own], len(own) < len(inputs))
    if kind == "Merge":
        return _of_branches(operation, [_rule(each, rows, dependent) for each in own])
    if rows.are_of_towers and is_mean(operation, dependent):
        return Rule(MEAN, None, operation)
    if kind == "Mul" and len(own) == 1:
        return _rule(own[0], rows, dependent)
    if kind in DIVIDE_OPS:
        return _quotient(operation, rows, dependent)
    if kind in ("Mean", "Sum"):
        if _is_reduced(inputs[0], rows, dependent):
            return _rule(inputs[0], rows, dependent)
        return Rule(MEAN, inputs[0], operation) if kind == "Mean" else Rule(SUM, None, operation)
    if kind == "L2Loss":
        return Rule(SUM, None, operation)
    if kind in ("Select", "SelectV2") and inputs[1].op in dependent:
        return _rule(inputs[1], rows, dependent)
    return refuse("its loss is neither a sum nor a mean over examples: {} comes after the reduction, so that the "
                  "gradients of towers are not parts of the whole".format(kind), operation)


def _of_branches(operation: Operation, rules: List[Rule]) -> Rule:
    """Returns the rule of a tf.cond, where only one branch has a value."""
    rule = _together(rules, False)
    if any(each.kind == RATIO for each in rules):
        refuse("its loss divides by a count in a branch of a tf.cond", operation)
    return rule._replace(counted=None, operation=operation)


def _quotient(operation: Operation, rows: Rows, dependent: Set[Operation]) -> Rule:
    above, below = list(operation.inputs)
    if below.op not in dependent:
        return _rule(above, rows, dependent)
    rule = _rule(above, rows, dependent)
    if rule.kind != SUM or rule.adds_others:
        refuse("its loss divides by what depends on the examples, and not a sum by a count", operation)
    return Rule(RATIO, below, operation)


def _is_reduced(tensor: Tensor, rows: Rows, dependent: Set[Operation]) -> bool:
    """Returns whether a tensor is made of losses that are reduced already: tf.reduce_mean(tf.stack([loss1, loss2]))."""
    if tensor in rows:
        return False
    operation = tensor.op
    if operation.type in ADD_OPS | {"Pack"}:
        return all(
            each.op not in dependent or each.shape.ndims == 0 and each not in rows for each in operation.inputs
        )
    return False
