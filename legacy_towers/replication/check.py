"""Compares the gradients of towers with those of one device on one batch, before the script sees the first results.

`first_batch` runs both.
"""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from legacy_towers.graph.op_kinds import VARIABLE_OPS
from legacy_towers.graph.walk import ancestors
from legacy_towers.parity.bounds import GRADIENT
from legacy_towers.replication.first_batch import Results, run_both, values_of
from legacy_towers.replication.losses import SUM
from legacy_towers.replication.refusal import place_of, refuse
from legacy_towers.replication.step import GLOBAL, ReplicatedStep
from legacy_towers.tensor_types import Operation, Session, Tensor
from legacy_towers.text.names import counted

_LOW_PRECISION_BOUND = 1e-2  # float16, bfloat16
# The bounds apply to at least this part of the largest of all gradients: a bias before batch norm has a gradient that
# is rounding alone.
_ROUNDING = 1e-2
# Sums whose terms cancel each other differ more, by the order of their terms. How much is measured, by one device with
# the examples in reverse order; towers may differ by so many times of it, but at most by so many times the bound.
_TIMES_REVERSED, _MOST_TIMES = 10, 10


class Comparison(NamedTuple):
    """The result of a comparison.

    Attributes:
      largest: the largest difference as a part of the largest value; None if nothing was compared.
      at: the name of the tensor that has it.
      compared: how many tensors were compared.
      reason: why nothing was compared; "" if it was.
      is_repeated: whether each tower got the whole first batch, since its own batches are other ones.
    """

    largest: Optional[float]
    at: str
    compared: int
    reason: str = ""
    is_repeated: bool = False

    def __str__(self) -> str:
        if self.reason:
            return "not compared with one device: {}".format(self.reason)
        return "compared with one device on the first batch{}: {}, largest difference {:.1e} of the largest value " \
            "({!r})".format(", which each tower got for this" if self.is_repeated else "",
                            counted(self.compared, "tensor"), self.largest or 0.0, self.at)


def compare(
    step: ReplicatedStep, values: Dict[Operation, Any], feeds: Dict[Tensor, Any],
    fetched: Sequence[Tuple[Tensor, Tensor]],
) -> Comparison:
    """Runs one batch through the graph and through its towers, and compares.

    Args:
      step: the replicated step.
      values: the values of the variables before the step; see `values_before`.
      feeds: what the first step feeds, and the examples that were read for it.
      fetched: (tensor that the step fetches, what takes its place).

    Raises:
      NotReplicable: the towers fail, or compute something else.
    """
    if step.towers.own_numbers:
        return Comparison(None, "", 0, "each tower draws random numbers of its own ({})".format(
            place_of(step.towers.own_numbers[0])))
    batch = dict(feeds)
    if step.keep == GLOBAL and step.rows.statistics:
        if not _repeat_rows(step, batch):
            return Comparison(None, "", 0, "the first batch has fewer examples than towers or a sparse tensor, and the "
                                           "statistics of each tower are its own")
    pairs = _pairs(step, fetched)
    if step.keep != GLOBAL:
        for read in step.examples.reads:
            for output in read.outputs:
                for copy in step.towers.of(output):
                    batch[copy] = batch[output]
    return _compared(step, pairs, run_both(
        step, values, batch, pairs, lambda one_device, towers: _are_within(step, pairs, one_device, towers)
    ))


def values_before(
    step: ReplicatedStep, session: Session, fetched: Sequence[Tuple[Tensor, Tensor]]
) -> Dict[Operation, Any]:
    """Returns variable -> its value in a session, for the variables that `compare` needs."""
    targets = [each for pair in _pairs(step, fetched) for each in pair]
    needed = ancestors(targets, step.examples.tensors, graph=step.graph)
    variables = sorted((each for each in needed if each.type in VARIABLE_OPS), key=lambda each: str(each.name))
    return dict(zip(variables, values_of(session, variables)))


def _pairs(step: ReplicatedStep, fetched: Sequence[Tuple[Tensor, Tensor]]) -> List[Tuple[Tensor, Tensor]]:
    return list(step.gradients.items()) + [
        (one, other) for one, other in fetched if step.keep == GLOBAL and one not in step.gradients
        and (one.dtype.is_floating or one.dtype.is_integer)
    ]


def _repeat_rows(step: ReplicatedStep, batch: Dict[Tensor, Any]) -> bool:
    """Gives each tower the same rows, so that their statistics are those of the whole batch."""
    number = len(step.devices)
    if step.examples.sparse:
        return False
    for tensor in step.examples.tensors:
        value = np.asarray(batch[tensor])
        part = value[: len(value) // number]
        if not len(part):
            return False
        batch[tensor] = np.concatenate([part] * number)
    return True


def _compared(step: ReplicatedStep, pairs: Sequence[Tuple[Tensor, Tensor]], results: Results) -> Comparison:
    differences = _differences(step, pairs, results.one_device, results.towers)
    rounding: List[Optional[float]] = [None] * len(pairs)
    if results.reversed is not None:
        rounding = _differences(step, pairs, results.one_device, results.reversed, are_towers=False)
    worst, at, compared = 0.0, "", 0
    for (tensor, _), difference, by_order in zip(pairs, differences, rounding):
        if difference is None:
            continue
        bound = _bound(step, tensor)
        if by_order is not None and tensor in step.gradients:
            bound = max(bound, min(_MOST_TIMES * bound, _TIMES_REVERSED * by_order))
        if not difference <= bound:
            what = "the gradient" if tensor in step.gradients else "what it fetches"
            refuse("on the first batch {} differs from that of one device by {:.1e} of its largest value, where {:.1g} "
                   "is allowed: its examples depend on each other, or it counts them in a way that is not known".format(
                       what, difference, bound), tensor.op)
        compared += 1
        if difference >= worst:
            worst, at = difference, str(tensor.op.name)
    return Comparison(worst, at, compared, is_repeated=step.keep != GLOBAL)


def _are_within(
    step: ReplicatedStep, pairs: Sequence[Tuple[Tensor, Tensor]], one_device: List[Any], towers: List[Any]
) -> bool:
    differences = _differences(step, pairs, one_device, towers)
    return all(each is None or each <= _bound(step, tensor) for each, (tensor, _) in zip(differences, pairs))


def _differences(
    step: ReplicatedStep, pairs: Sequence[Tuple[Tensor, Tensor]], one_device: List[Any], others: List[Any],
    are_towers: bool = True,
) -> List[Optional[float]]:
    """Returns the difference of each tensor as a part of its largest value; None for indices.

    Args:
      others: the values on towers, or on one device if not `are_towers`.
    """
    factor = len(step.devices) if step.keep != GLOBAL else 1
    indices = [(one, other) for (tensor, _), one, other in zip(pairs, one_device, others)
               if tensor in step.sparse and not tensor.dtype.is_floating]
    largest_of_all = max([_largest(one) for (tensor, _), one in zip(pairs, one_device)
                          if tensor in step.gradients and tensor.dtype.is_floating] or [0.0])
    # Gradients that batch norm makes zero, such as those of what it scales again, are rounding of all others.
    part = 1.0 if step.rows.statistics else _ROUNDING
    found: List[Optional[float]] = []
    for (tensor, _), one, other in zip(pairs, one_device, others):
        if tensor in step.sparse and not tensor.dtype.is_floating:
            found.append(None)
            continue
        times = factor if tensor in step.gradients and step.rule(tensor).kind == SUM else 1
        if not are_towers:
            other = np.asarray(other) * times
        candidates = [(np.asarray(one) * times, np.asarray(other))]
        if tensor in step.sparse:
            candidates = [
                (_dense(one * times, left), _dense(other, right)) for left, right in indices
                if len(left) == len(one) and len(right) == len(other)
            ]
        least = largest_of_all * part * times if tensor in step.gradients else 0.0
        found.append(min([_difference(left, right, least) for left, right in candidates] or [np.inf]))
    return found


def _bound(step: ReplicatedStep, tensor: Tensor) -> float:
    """Returns the bound of the least precise type that a tensor is computed in."""
    if not tensor.dtype.is_floating:
        return 0.0
    types = {
        each.dtype.base_dtype.name for operation in ancestors([tensor], graph=step.graph, by_control=False)
        if operation in step.regions.dependent for each in operation.outputs if each.dtype.is_floating
    } | {tensor.dtype.base_dtype.name}
    return max(GRADIENT.get(each, _LOW_PRECISION_BOUND) for each in types)


def _largest(value: Any) -> float:
    array = np.abs(np.asarray(value, np.float64))
    return float(np.nanmax(array)) if array.size and not np.isnan(array).all() else 0.0


def _difference(one: Any, other: Any, least: float) -> float:
    if np.shape(one) != np.shape(other):
        return float("inf")
    if not np.size(one):
        return 0.0
    left, right = np.asarray(one, np.float64), np.asarray(other, np.float64)
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    if same.all():
        return 0.0
    largest = max(_largest(left), least)
    difference = np.abs(np.where(same, 0.0, left - right)).max()
    return float(difference / largest) if largest else float("inf")


def _dense(values: Any, indices: Any) -> Any:
    """Returns the sums of the rows of a sparse gradient by their indices, sorted."""
    unique, places = np.unique(indices, return_inverse=True)
    sums = np.zeros((len(unique),) + np.shape(values)[1:], np.float64)
    np.add.at(sums, places.reshape(-1), np.asarray(values, np.float64))
    return np.concatenate([sums.reshape(len(unique), -1), unique[:, None].astype(np.float64)], 1)
