"""What differs where towers train asynchronously: tower 0 in the caller's loop, the others in threads."""
from typing import Any, List, Optional, Sequence

from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.gradients.tower_weights import normalized_tower_weights
from legacy_towers.graph.op_kinds import PLACEHOLDER_OPS
from legacy_towers.graph.shared_batches.input_ops import is_input, is_source_of_python
from legacy_towers.graph.walk import ancestors
from legacy_towers.inputs.base import Input, TowerBatches
from legacy_towers.inputs.position import EXACT, ONCE, Promise
from legacy_towers.inputs.promises import refused
from legacy_towers.tensor_types import DeviceString, NestedTensors, Operation, Tensor
from legacy_towers.text.names import quoted
from legacy_towers.towers.replicate import Tower
from legacy_towers.variables import Strategy

_ADVICE = (
    'use lt.inputs.queue, or lt.inputs.dataset with the route "next_per_tower" or "sharded", without order="fixed" and '
    "without staging; or lt.inputs.from_tensors(per_tower=[...]) with a dequeue or get_next for each tower"
)


_NO_POSITION = (
    "towers that train asynchronously go through this input at their own speed: lt.inputs.queue, or lt.inputs.dataset "
    'or from_dataset with route="next_per_tower", resumes once per epoch'
)
_NO_POSITION_OF_WORKERS = (
    "towers of several workers that train asynchronously go through their data at their own speed; synchronous "
    "training resumes at the same example"
)
_NEXT_BATCH = (
    "towers that train asynchronously take the next batch in any order; a resumed run begins after those that were used"
)


def is_asynchronous(strategy: Strategy) -> bool:
    """Returns whether each tower updates the variables in session runs of its own."""
    return strategy.updates == "asynchronous"


def batches_of(
    inputs: Input, devices: Sequence[DeviceString], strategy: Strategy, workers: Optional[Workers] = None
) -> TowerBatches:
    """Returns the towers' batches; for asynchronous towers, such that each tower can take its batch alone.

    Raises:
      InputError: the input pipeline can't do that; the message says why, and which one can.
    """
    if not is_asynchronous(strategy):
        return inputs.build(devices)
    batches = inputs.build_asynchronous(devices)
    check_asynchronous_batches(batches)
    position = batches.position
    if len(devices) == 1 and workers is None:
        return batches
    if position is None or not position.by_tower:
        reason = _NO_POSITION if workers is None else _NO_POSITION_OF_WORKERS
        return batches._replace(position=None, ids=(), plan=batches.plan.with_promise(refused(reason)))
    if position.promise.name == EXACT:
        position.promise = Promise(ONCE, _NEXT_BATCH)
    return batches._replace(plan=batches.plan.with_promise(position.promise))


def weights_in_run(
    strategy: Strategy, counts: Optional[Sequence[Tensor]], towers: int, workers: Optional[Workers] = None
) -> Optional[List[Tensor]]:
    """Returns each tower's weight in the loss and the metrics of the caller's run; None: all weigh the same."""
    if is_asynchronous(strategy):
        return [1.0] + [0.0] * (towers - 1) if towers > 1 else None
    return normalized_tower_weights(counts, towers, workers)


def summary_tower_in_run(strategy: Strategy, summary_tower: int, towers: int) -> int:
    """Returns the tower whose summaries are kept; raises ArgumentError where the caller's run does not compute them."""
    if not is_asynchronous(strategy):
        return summary_tower
    if summary_tower not in (-1, 0, -towers):
        raise ArgumentError(
            "summary_tower is {}: with {!r} the caller runs tower 0 alone, and fetching another tower's summaries "
            "would take a batch from that tower. Leave summary_tower out".format(summary_tower, strategy)
        )
    return 0


def check_towers(strategy: Strategy, training: Sequence[Tower]) -> None:
    """Raises InputError where an asynchronous tower needs another tower, or a tensor that nothing feeds.

    To be called last: what is added to the graph later is not seen.
    """
    if is_asynchronous(strategy):
        check_asynchronous_fetches(
            [list(tower.losses.values()) + list(tower.collected.update_ops) for tower in training],
            [tower.index for tower in training],
        )


def check_asynchronous_batches(batches: TowerBatches) -> None:
    """Raises InputError unless each tower can take its batches in its own runs. One tower always can.

    Called before the model is built; `check_asynchronous_fetches` afterwards.
    """
    towers = len(batches.per_tower)
    if towers == 1:
        return
    if batches.modes is not None and len(set(batches.modes)) > 1:
        validating = [tower for tower, mode in enumerate(batches.modes) if mode != batches.modes[0]]
        _refuse("tower {} validates in the steps of the others".format(validating[0]), (
            "train on all towers and evaluate between two runs, inside the hook's paused()"
        ))
    if batches.plan.order == "fixed":
        _refuse('order="fixed" assigns examples to steps of all towers', 'leave order="fixed" out')
    for hook in batches.hooks:
        action = _action_of(hook)
        if action:
            _refuse("the pipeline {!r} has a hook that {} in each run ({})".format(
                batches.plan.pipeline, action, type(hook).__name__
            ))
    needed = [ancestors([leaf.op for leaf in tensors_of(batch)]) for batch in batches.per_tower]
    _check_input_ops(needed, batches.input_ops)


def check_asynchronous_fetches(fetches: Sequence[Any], towers: Optional[Sequence[int]] = None) -> None:
    """Raises InputError unless each tower can run alone: no two share a batch, and none needs a feed of the caller.

    Args:
      fetches: per tower, what it runs. The caller runs the first tower's, and can feed it.
      towers: the towers' indices; None for 0, 1, ...
    """
    if len(fetches) == 1:
        return
    numbers = list(range(len(fetches))) if towers is None else list(towers)
    needed = [ancestors(each) for each in fetches]
    _check_input_ops(needed, (), numbers)
    for number, operations in list(zip(numbers, needed))[1:]:
        fed = sorted(str(operation.name) for operation in operations if operation.type == "Placeholder")
        if fed:
            _refuse(
                "tower {} needs the placeholder {}, which is not fed in its runs".format(number, quoted(fed)),
                "make it a variable, or a tf.placeholder_with_default with the value for the towers",
            )


def _check_input_ops(
    needed: Sequence[Any], input_ops: Sequence[Operation], towers: Optional[Sequence[int]] = None
) -> None:
    numbers = list(range(len(needed))) if towers is None else list(towers)
    known = set(input_ops)
    seen: List[Any] = []
    for number, operations in zip(numbers, needed):
        own = {
            operation for operation in operations
            if operation in known or _takes_data(operation)
        }
        for previous, others in seen:
            common = sorted(own & others, key=lambda operation: str(operation.name))
            if common:
                _refuse("the operation {!r} ({}) takes data for tower {} and for tower {}".format(
                    common[0].name, common[0].type, previous, number
                ))
        seen.append((number, own))


def _takes_data(operation: Operation) -> bool:
    """Returns whether each run of the operation takes new data. A placeholder does not: all readers get its feed."""
    if operation.type in PLACEHOLDER_OPS:
        return False
    return is_input(operation) or (is_source_of_python(operation) and not operation.inputs)


def _action_of(hook: Any) -> str:
    action = getattr(hook, "per_run_action", None)
    if action is None:  # not an InputHook
        plain = tf.train.SessionRunHook
        acts = type(hook).before_run is not plain.before_run or type(hook).after_run is not plain.after_run
        action = "acts" if acts else ""
    return str(action)


def tensors_of(batch: NestedTensors) -> List[Any]:
    """Returns the tensors of a nested structure, those of sparse components one by one."""
    return [leaf for leaf in tf.nest.flatten(batch, expand_composites=True) if hasattr(leaf, "op")]


def _refuse(reason: str, advice: str = _ADVICE) -> None:
    raise InputError("asynchronous towers each take their batches in their own runs, but {}: {}".format(reason, advice))
