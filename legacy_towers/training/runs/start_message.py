"""The message at the start of a training run: lines on towers, input, strategy, steps and checkpoints."""
from typing import Optional

from legacy_towers.devices import short_name
from legacy_towers.inputs.position import Resumed
from legacy_towers.step.plan import Plan, describe_towers
from legacy_towers.text.names import counted
from legacy_towers.training.runs.setup import End


def start_message(
    name: str, plan: Plan, end: End, start: int, resumed_from: Optional[str], checkpoint_dir: Optional[str],
    checkpoints: str, evaluation: str, resumed: Optional[Resumed] = None
) -> str:
    """Returns four lines, each with a newline at its end; more with checkpoints, or staging that has no effect.

    Args:
      start: the global step before the first step of this run.
      resumed_from: the checkpoint of that step; None for a new run.
      checkpoint_dir: the directory of checkpoints; None: no checkpoints are kept.
      checkpoints: when they are saved and which are kept, such as "every 10 minutes and at the end; ...".
      evaluation: when training is evaluated, such as "every 500 steps and at the end"; "" for at the end only.
      resumed: where the input of a run that resumes continues; None if it keeps no position.
    """
    lines = [
        "{}: {}; {}".format(name, describe_towers(plan.devices), _variables(plan)),
        "workers: {}".format(plan.workers) if plan.workers else "",
        "input: {}".format(_input(plan)),
        "staging: {}".format(plan.input.details["staging"]) if "staging" in plan.input.details else "",
        "strategy: {}; gradients: {}".format(plan.strategy, plan.reduction),
        _steps(end, start, resumed_from, checkpoint_dir),
    ]
    if checkpoint_dir is not None and start < end.step:
        lines.append("checkpoints: " + checkpoints)
    if evaluation and start < end.step:
        lines.append("evaluation: " + evaluation)
    if checkpoint_dir is not None and start < end.step:
        lines.append("on resume: " + _resume(plan, resumed_from, resumed))
    return "".join(line + "\n" for line in lines if line)


def _variables(plan: Plan) -> str:
    devices = sorted({
        short_name(device) for variable in plan.variables for device in [variable.device] + variable.copies
    })
    return "{} ({:,} bytes) on {}".format(
        counted(len(plan.variables), "variable"), sum(variable.bytes or 0 for variable in plan.variables),
        ", ".join(devices) or "no device"
    )


def _input(plan: Plan) -> str:
    pipeline = (
        plan.input.pipeline if plan.input.route is None else "{}:{}".format(plan.input.pipeline, plan.input.route)
    )
    order = " in fixed order" if plan.input.order == "fixed" else ""
    return "{}, {}{}, from {}".format(pipeline, plan.input.batch_sizes(), order, plan.input.source)


def _resume(plan: Plan, resumed_from: Optional[str], resumed: Optional[Resumed]) -> str:
    """Returns what the input promises to a run that resumes, and where a run that does so begins."""
    promise = "{} ({})".format(plan.input.resume, plan.input.resume_reason)
    if resumed_from is None:
        return promise
    if resumed is None:
        return "the input begins again: " + promise
    if resumed.note and not resumed.examples:
        return resumed.note
    return "{}: {}{}".format(resumed, promise, resumed.note and "; " + resumed.note)


def _steps(end: End, start: int, resumed_from: Optional[str], checkpoint_dir: Optional[str]) -> str:
    if start >= end.step:
        return "steps: none, {} is at step {} and the run ends at {}".format(resumed_from, start, end.step)
    steps = "steps: {} to {}{}".format(start + 1, end.step, end.reason and " ({})".format(end.reason))
    if resumed_from is not None:
        return "{}, resuming from {}".format(steps, resumed_from)
    if checkpoint_dir is not None:
        return "{}, checkpoints and summaries in {}".format(steps, checkpoint_dir)
    return "{}; nothing is kept without --checkpoint-dir".format(steps)
