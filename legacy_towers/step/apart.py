"""What is different in a step whose towers run apart: tower 0 is the caller's, the others run by themselves."""
from typing import Any, List, Optional, Sequence

from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.shares import tower_shares
from legacy_towers.inputs.apart import check_batches_apart, check_fetches_apart
from legacy_towers.inputs.base import Input, TowerBatches
from legacy_towers.towers.replicate import Tower
from legacy_towers.variables import Strategy


def run_apart(strategy: Strategy) -> bool:
    """Returns whether each tower has runs of its own."""
    return strategy.updates == "asynchronous"


def batches_of(inputs: Input, devices: Sequence[str], strategy: Strategy) -> TowerBatches:
    """Returns the towers' batches, such that each tower can take its own alone where it runs alone.

    Raises:
      InputError: it can't by this way in; says why, and what to take instead.
    """
    if not run_apart(strategy):
        return inputs.build(devices)
    batches = inputs.build_apart(devices)
    check_batches_apart(batches)
    return batches


def shares_in_run(strategy: Strategy, counts: Optional[Sequence[Any]], towers: int) -> Optional[List[Any]]:
    """Returns what each tower counts in the loss and the metrics of the caller's run; None: all the same."""
    if run_apart(strategy):
        return [1.0] + [0.0] * (towers - 1) if towers > 1 else None
    return tower_shares(counts, towers)


def summaries_in_run(strategy: Strategy, summaries_from: int, towers: int) -> int:
    """Returns the tower whose summaries are kept; raises ArgumentError where it has none in the caller's run."""
    if not run_apart(strategy):
        return summaries_from
    if summaries_from not in (-1, 0, -towers):
        raise ArgumentError(
            "summaries_from is {}: with {!r} the caller's run is one of tower 0, and to fetch the summaries of another "
            "tower would take a batch from it. Leave summaries_from out".format(summaries_from, strategy)
        )
    return 0


def check_towers(strategy: Strategy, training: Sequence[Tower]) -> None:
    """Raises InputError where towers that run apart need each other, or what nobody feeds; call it at the very end."""
    if run_apart(strategy):
        check_fetches_apart(
            [list(tower.losses.values()) + list(tower.collected.update_ops) for tower in training],
            [tower.index for tower in training],
        )
