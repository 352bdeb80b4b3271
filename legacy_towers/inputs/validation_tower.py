"""One tower validates while the others train: in every step it gets a validation batch."""
from typing import Any, List, Optional, Sequence, Tuple

from legacy_towers.compat.graph import run_after
from legacy_towers.errors import ArgumentError
from legacy_towers.inputs.base import Input, InputPlan, TowerBatches, onto_tower
from legacy_towers.inputs.switch import SwitchInput, short_plan
from legacy_towers.inputs.two_ways import check_alike, check_ways, counts_of

# What `lt.TRAIN` and `lt.EVAL` are: the towers' room lies beside this one.
_TRAIN, _EVAL = "train", "eval"


def with_validation_tower(train: Input, validation: Input, tower: int = -1) -> "ValidationTowerInput":
    """Returns the way in by which one tower validates in each step, while the others train.

        source = lt.inputs.with_validation_tower(train=lt.inputs.dataset(...), validation=lt.inputs.dataset(...))
        step = lt.build_train_step(model_fn, source, optimizer, lt.devices.gpus(4))    # three train, the last validates
        session.run([step.train_op, step.validation_loss])

    `model_fn` is called with mode lt.EVAL for that tower; it adds no gradient, and the means are over the others. The
    data of both ends when that of one does: let the validation data be endless, as without `epochs`.

    Args:
      train: the way in for the towers that train; its batch sizes are theirs.
      validation: the way in for the one that validates, whose batch may be of another size.
      tower: its index; -1 is the last.

    Raises:
      ArgumentError: one of the two is no way in or decides about towers itself. Later, when the step is built: there is
        no such tower, or no other one.
      InputError: when the step is built: the batches differ; the message names the component.
    """
    check_ways("with_validation_tower", train, validation)
    for name, way_in in (("train", train), ("validation", validation)):
        if isinstance(way_in, (SwitchInput, ValidationTowerInput)):
            raise ArgumentError("with_validation_tower: {} validates already by itself".format(name))
    if isinstance(tower, bool) or not isinstance(tower, int):
        raise ArgumentError("tower must be the index of a tower, not {!r}".format(tower))
    return ValidationTowerInput(train, validation, tower)


class ValidationTowerInput(Input):
    """See `with_validation_tower`."""

    def __init__(self, train: Input, validation: Input, tower: int) -> None:
        self._train = train
        self._validation = validation
        self._tower = tower

    def build(self, devices: Sequence[str]) -> TowerBatches:
        towers = len(devices)
        if towers < 2:
            raise ArgumentError("a tower that validates needs another one that trains: there is one tower")
        if not -towers <= self._tower < towers:
            raise ArgumentError("tower {} can't validate: there are towers 0 to {}".format(self._tower, towers - 1))
        index = self._tower % towers
        train = self._train.build([device for tower, device in enumerate(devices) if tower != index])
        validation = self._validation.build([devices[index]])
        check_alike(train.per_tower[0], validation.per_tower[0])
        # As among the towers that train, see `routes`: an error of one must not meet the end of data of the other.
        for pull in validation.pulls:
            for before in train.pulls:
                run_after(pull, before)
        batches = _inserted(train.per_tower, validation.per_tower[0], index)
        counted = train.counts is not None or validation.counts is not None
        counts: Optional[List[Any]] = None
        if counted:
            counts = _inserted(counts_of(train, True), counts_of(validation, True)[0], index)
        return TowerBatches(
            # Each was built as if it were alone, and a tower behind the one that validates as the one before.
            per_tower=[
                batch if tower < index else onto_tower(batch, tower, device)
                for tower, (batch, device) in enumerate(zip(batches, devices))
            ],
            hooks=train.hooks + validation.hooks,
            plan=_plan(train.plan, validation.plan, index, towers),
            pulls=train.pulls + validation.pulls,
            counts=counts,
            modes=_inserted([_TRAIN] * (towers - 1), _EVAL, index),
            padded=train.padded or validation.padded,
            shared_by_towers=train.shared_by_towers,
            shared=train.shared,
        )


def _inserted(of_others: Sequence[Any], own: Any, index: int) -> List[Any]:
    return list(of_others[:index]) + [own] + list(of_others[index:])


def _plan(train: InputPlan, validation: InputPlan, index: int, towers: int) -> InputPlan:
    details = dict(train.details)
    details["tower_{}_validates".format(index)] = short_plan(validation)
    if train.epochs is not None or validation.epochs is not None:
        details["both"] = "end when the data of one ends"
    shares: Tuple[str, ...] = ()
    if train.shares and validation.shares:
        shares = tuple(_inserted(train.shares, "validation: " + validation.shares[0], index))
    return train._replace(details=details, shares=shares)
