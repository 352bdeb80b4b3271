"""Writes a plan of a cluster as JSON, and reads what TensorFlow's runtime costs from such a file."""
import json
import math
from typing import Any, Dict

from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.scaling.plan import ClusterPlan
from legacy_towers.scaling.values import RuntimeCosts

FORMAT, VERSION = "legacy_towers plan of a cluster", 1


def plan_json(plan: ClusterPlan) -> str:
    """Returns the plan as JSON text: the fields of `ClusterPlan`, times in seconds and sizes in bytes."""
    job = dict(plan.job._asdict())
    job["variables"] = [dict(each._asdict()) for each in plan.job.variables]
    job["messages"] = [dict(each._asdict()) for each in plan.job.messages]
    content: Dict[str, Any] = {"format": FORMAT, "version": VERSION, "job": job}
    content["network"] = dict(plan.network._asdict())
    content["runtime"] = dict(plan.runtime._asdict())
    content["predictions"] = [dict(each._asdict(), limited_by=each.limited_by) for each in plan.predictions]
    content["limits"] = {strategy: dict(each._asdict()) for strategy, each in plan.limits.items()}
    content["fastest"] = plan.fastest.strategy
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def read_runtime(path: str) -> RuntimeCosts:
    """Returns the costs of a file that `plan_json` wrote, or that has only its object "runtime".

    Raises:
      ArgumentError: the file can't be read.
      InputError: the file is not JSON, or a figure is missing or not a number of at least 0, which is named.
    """
    try:
        with open(path, encoding="utf-8") as source:
            content = json.load(source)
    except OSError as error:
        raise ArgumentError("{} can't be read: {}".format(path, error.strerror or error)) from error
    except ValueError as error:  # of the encoding too
        raise InputError("{} is not JSON: {}".format(path, error)) from error
    found = content.get("runtime") if isinstance(content, dict) else None
    if not isinstance(found, dict):
        raise InputError('{} has no object "runtime": plan-cluster --json writes one'.format(path))
    for name in RuntimeCosts._fields:
        value = found.get(name)
        if name == "tensorflow":
            is_right = isinstance(value, str)
        else:
            is_right = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf
        if not is_right:
            needed = "text" if name == "tensorflow" else "a number of at least 0"
            raise InputError("{}: runtime.{} is {!r}: it must be {}".format(path, name, value, needed))
    return RuntimeCosts(**{name: found[name] for name in RuntimeCosts._fields})
