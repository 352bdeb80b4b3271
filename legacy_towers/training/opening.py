"""What a run says before its first step: four lines on towers, input, strategy and steps."""
from typing import Optional

from legacy_towers.devices import short_name
from legacy_towers.plan import Plan, towers_in_words
from legacy_towers.training.settings import End


def opening(
    name: str, plan: Plan, end: End, start: int, resumed_from: Optional[str], checkpoint_dir: Optional[str]
) -> str:
    """Returns the lines.

    Args:
      name: of the job.
      plan: of its step.
      end: where training ends.
      start: the global step from which it goes on.
      resumed_from: the checkpoint of that step; None for a new run.
      checkpoint_dir: where checkpoints are kept; None for nowhere.
    """
    return "".join(line + "\n" for line in (
        "{}: {}; {}".format(name, towers_in_words(plan.devices), _variables(plan)),
        "input: {}".format(_input(plan)),
        "strategy: {}; gradients: {}".format(plan.strategy, plan.reduction),
        _steps(end, start, resumed_from, checkpoint_dir),
    ))


def _variables(plan: Plan) -> str:
    places = sorted({
        short_name(device) for variable in plan.variables for device in [variable.device] + variable.copies
    })
    return "{} variables ({:,} bytes) on {}".format(
        len(plan.variables), sum(variable.bytes or 0 for variable in plan.variables), ", ".join(places) or "no device"
    )


def _input(plan: Plan) -> str:
    way = plan.input.way if plan.input.route is None else "{}:{}".format(plan.input.way, plan.input.route)
    order = " in fixed order" if plan.input.order == "fixed" else ""
    return "{}, {} examples per tower, {} per step{}, from {}".format(
        way, plan.input.per_tower_batch_size, plan.input.global_batch_size, order, plan.input.source
    )


def _steps(end: End, start: int, resumed_from: Optional[str], checkpoint_dir: Optional[str]) -> str:
    if start >= end.step:
        return "steps: none, {} is at step {} and the run ends at {}".format(resumed_from, start, end.step)
    steps = "steps: {} to {}{}".format(start + 1, end.step, end.reason and " ({})".format(end.reason))
    if resumed_from is not None:
        return "{}, resuming from {}".format(steps, resumed_from)
    if checkpoint_dir is not None:
        return "{}, checkpoints and summaries in {}".format(steps, checkpoint_dir)
    return "{}; nothing is kept without --checkpoint-dir".format(steps)
