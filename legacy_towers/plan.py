"""What was decided when a step was built, as plain values that can be printed and saved as JSON."""
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from legacy_towers.inputs.base import InputPlan
from legacy_towers.tables import format_table


class VariablePlan(NamedTuple):
    """One variable: what it is, where it lives, and how its gradient gets there."""

    name: str
    shape: List[Optional[int]]
    dtype: str
    bytes: Optional[int]  # None where the shape is not known
    device: str
    trainable: bool
    gradient: Optional[str]  # "dense", "sparse", or None for a variable that the optimizer does not write
    averaged_on: Optional[str]  # the device where the towers' gradients are summed


class Plan(NamedTuple):
    """All decisions of one train step."""

    devices: List[str]  # one per tower
    input: InputPlan
    strategy: str
    variable_kind: str
    variables: List[VariablePlan]
    regularization: str
    update_ops: str
    summaries: str
    moving_average_decay: Optional[float]
    validating: List[int] = []  # the towers that validate; all others train
    weights: str = ""  # what each tower counts in the means; "": all the same

    def as_dict(self) -> Dict[str, Any]:
        """Returns dicts, lists, strings and numbers only, for `json.dumps`."""
        plan = dict(self._asdict())
        plan["input"] = dict(self.input._asdict())
        plan["variables"] = [dict(variable._asdict()) for variable in self.variables]
        return plan

    def summary(self) -> str:
        """Returns the decisions in a line each, without the table of variables."""
        lines = [
            towers_in_words(self.devices),
            "input: {}".format(self.input),
            "variables: {}, {} variables, {}".format(self.strategy, self.variable_kind, self._total()),
            "regularization: " + self.regularization,
            "update ops: " + self.update_ops,
            "summaries: " + self.summaries,
        ]
        if self.validating:
            lines.insert(1, _validation_in_words(self.validating))
        if self.weights:
            lines.append("mean over towers: " + self.weights)
        if self.moving_average_decay is not None:
            lines.append("moving averages: decay {:g} over the trainable variables".format(self.moving_average_decay))
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary() + "\n\n" + self.table()

    def table(self) -> str:
        """Returns the variables as a table, one line each."""
        rows = [
            [
                variable.name,
                "x".join("?" if size is None else str(size) for size in variable.shape) or "scalar",
                variable.dtype,
                variable.bytes,
                variable.device,
                variable.gradient or "",
                variable.averaged_on or "",
            ]
            for variable in self.variables
        ]
        header = ["variable", "shape", "dtype", "bytes", "lives on", "gradient", "averaged on"]
        return format_table(header, rows, "lllrlll")

    def _total(self) -> str:
        total = sum(variable.bytes or 0 for variable in self.variables)
        return "{} of {:,} bytes".format(len(self.variables), total)


def _validation_in_words(validating: Sequence[int]) -> str:
    return "validation: tower{} {}, without gradients; the mean divides by the towers that train".format(
        "" if len(validating) == 1 else "s", " and ".join(map(str, validating))
    )


def towers_in_words(devices: Sequence[str]) -> str:
    """Returns "4 towers on /cpu:0 to /cpu:3": devices in a row by the first and the last, others one by one."""
    stem, _, first = devices[0].rpartition(":")
    in_a_row = first.isdigit() and list(devices) == ["{}:{}".format(stem, int(first) + i) for i in range(len(devices))]
    if in_a_row and len(devices) > 2:
        places = "{} to {}".format(devices[0], devices[-1])
    elif len(set(devices)) == 1:
        places = devices[0]
    else:
        places = "{} and {}".format(", ".join(devices[:-1]), devices[-1])
    return "{} tower{} on {}".format(len(devices), "" if len(devices) == 1 else "s", places)
