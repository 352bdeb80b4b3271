"""A validation tower: it gets a validation batch in every step, while the other towers train."""
from typing import Any, List, Optional, Sequence, Tuple

from legacy_towers.compat.versions.graph import run_after
from legacy_towers.errors import ArgumentError
from legacy_towers.inputs.base import Input, InputPlan, TowerBatches, move_to_tower
from legacy_towers.inputs.wrappers.compatible_batches import check_compatible, check_inputs, example_counts
from legacy_towers.inputs.wrappers.switch import SwitchInput, short_plan, with_validation

# The values of `lt.TRAIN` and `lt.EVAL`, which are defined in `legacy_towers.towers`, a package of the same layer.
_TRAIN, _EVAL = "train", "eval"


def with_validation_tower(train: Input, validation: Input, tower: int = -1) -> "ValidationTowerInput":
    """Creates an input pipeline with which one tower validates in each step while the others train.

        step 0   tower 0 train [a b]   tower 1 train [c d]   tower 2 train [e f]   tower 3 validation [v w]

        source = lt.inputs.with_validation_tower(train=lt.inputs.dataset(...), validation=lt.inputs.dataset(...))
        step = lt.build_train_step(model_fn, source, optimizer, lt.devices.gpus(4))    # three train, the last validates
        session.run([step.train_op, step.validation_loss])

    `model_fn` is called with mode lt.EVAL for the validation tower, which contributes no gradient and no part of the
    mean loss and metrics. The data ends when that of one pipeline ends: make the validation data endless, as without
    `epochs`.

    Args:
      train: the input pipeline of the towers that train, with their batch sizes.
      validation: the input pipeline of the validation tower, whose batch size may differ.
      tower: the index of the validation tower; -1 is the last one.

    Raises:
      ArgumentError: train or validation is not an input pipeline, or is a switch or has a validation tower itself. When
        the step is built: there is no such tower, or only one.
      InputError: when the step is built: the batches differ; the message names the component.
    """
    check_inputs("with_validation_tower", train, validation)
    for name, pipeline in (("train", train), ("validation", validation)):
        if isinstance(pipeline, (SwitchInput, ValidationTowerInput)):
            raise ArgumentError("with_validation_tower: {} is a switch or has a validation tower itself".format(name))
    if isinstance(tower, bool) or not isinstance(tower, int):
        raise ArgumentError("tower must be the index of a tower, got {!r}".format(tower))
    return ValidationTowerInput(train, validation, tower)


class ValidationTowerInput(Input):
    """The input pipeline of `with_validation_tower`."""

    def __init__(self, train: Input, validation: Input, tower: int) -> None:
        self._train = train
        self._validation = validation
        self._tower = tower

    def build(self, devices: Sequence[str]) -> TowerBatches:
        towers = len(devices)
        if towers < 2:
            raise ArgumentError("a validation tower needs another tower that trains, but there is only one tower")
        if not -towers <= self._tower < towers:
            raise ArgumentError(
                "tower={} is not the index of a tower: there are towers 0 to {}".format(self._tower, towers - 1)
            )
        index = self._tower % towers
        train = self._train.build([device for tower, device in enumerate(devices) if tower != index])
        validation = self._validation.build([devices[index]])
        check_compatible(train.per_tower[0], validation.per_tower[0])
        # In turn, as in `routes`: an error of one must not coincide with the end of the data of the other.
        for validation_op in validation.input_ops:
            for train_op in train.input_ops:
                run_after(validation_op, train_op)
        batches = _inserted(train.per_tower, validation.per_tower[0], index)
        counted = train.counts is not None or validation.counts is not None
        counts: Optional[List[Any]] = None
        if counted:
            counts = _inserted(example_counts(train, True), example_counts(validation, True)[0], index)
        return TowerBatches(
            # `train` was built without the validation tower: towers with a higher index have another index here.
            per_tower=[
                batch if tower < index else move_to_tower(batch, tower, device)
                for tower, (batch, device) in enumerate(zip(batches, devices))
            ],
            hooks=train.hooks + validation.hooks,
            plan=_plan(train.plan, validation.plan, index),
            input_ops=train.input_ops + validation.input_ops,
            counts=counts,
            modes=_inserted([_TRAIN] * (towers - 1), _EVAL, index),
            padded=train.padded or validation.padded,
            shared_by_towers=train.shared_by_towers,
            shared=train.shared,
            position=train.position,
            ids=train.ids,
            skipped=train.skipped,
        )


def _inserted(of_others: Sequence[Any], own: Any, index: int) -> List[Any]:
    return list(of_others[:index]) + [own] + list(of_others[index:])


def _plan(train: InputPlan, validation: InputPlan, index: int) -> InputPlan:
    details = dict(train.details)
    details["tower_{}_validates".format(index)] = short_plan(validation)
    if train.epochs is not None or validation.epochs is not None:
        details["both"] = "end when the data of one ends"
    shards: Tuple[str, ...] = ()
    if train.shards and validation.shards:
        shards = tuple(_inserted(train.shards, "validation: " + validation.shards[0], index))
    return train._replace(details=details, shards=shards, resume_reason=with_validation(train.resume_reason))
