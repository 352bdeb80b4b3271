"""What was decided when a step was built, as plain values that can be printed and saved as JSON."""
import json
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
    reduced_by: Optional[str]  # how the towers' gradients are made one: "add_n", "tree", ...
    reduced_on: Optional[str]  # the device where they are; None where there is no single one
    bucket: Optional[int]  # the number of the bucket that they travel in
    part: Optional[str]  # of the step that trains it; None where there is one
    copies: List[str]  # the devices of the towers' own copies; [] where all towers share it


class PartPlan(NamedTuple):
    """One part of a step that has several."""

    name: str
    optimizer: str
    variables: int  # how many
    steps: Optional[int]  # in a row; None where all parts are run together
    reduction: Optional[str]  # None: the step's


class Plan(NamedTuple):
    """All decisions of one train step."""

    devices: List[str]  # one per tower
    input: InputPlan
    strategy: str
    variable_kind: str
    reduction: str
    parts: List[PartPlan]  # [] where there is one
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
        plan["parts"] = [dict(part._asdict()) for part in self.parts]
        return plan

    def as_json(self) -> str:
        """Returns the whole plan as JSON text, in an order that does not change from run to run."""
        return json.dumps(self.as_dict(), indent=2, sort_keys=True, default=str)

    def differences(self, other: "Plan") -> str:
        """Returns in words what `other` decided otherwise, a line each; "" if nothing.

            reduction: mean() -> tree()
            conv/kernel: device /device:CPU:0 -> /device:CPU:1
        """
        return "\n".join(_differences(self.as_dict(), other.as_dict()))

    def summary(self) -> str:
        """Returns the decisions in a line each, without the table of variables."""
        lines = [
            towers_in_words(self.devices),
            "input: {}".format(self.input),
            "variables: {}, {} variables, {}".format(self.strategy, self.variable_kind, self._total()),
            "gradients: {}".format(self.reduction),
            "regularization: " + self.regularization,
            "update ops: " + self.update_ops,
            "summaries: " + self.summaries,
        ]
        lines += [_part_in_words(part) for part in self.parts]
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
                ", ".join(variable.copies or [variable.device]),
                variable.gradient or "",
                variable.reduced_by or "",
                variable.reduced_on or "",
                "" if variable.bucket is None else variable.bucket,
                variable.part or "",
            ]
            for variable in self.variables
        ]
        header = [
            "variable", "shape", "dtype", "bytes", "lives on", "gradient", "reduced by", "reduced on", "bucket", "part"
        ]
        # A column in which nothing stands is left out.
        kept = [column for column in range(len(header)) if column < 5 or any(row[column] != "" for row in rows)]
        alignment = "lllrllllrl"
        return format_table(
            [header[column] for column in kept],
            [[row[column] for column in kept] for row in rows],
            "".join(alignment[column] for column in kept),
        )

    def _total(self) -> str:
        total = sum(variable.bytes or 0 for variable in self.variables)
        return "{} of {:,} bytes".format(len(self.variables), total)


def _differences(one: Dict[str, Any], other: Dict[str, Any]) -> List[str]:
    lines = []
    for key in one:
        if key == "variables":
            continue
        if one[key] != other[key]:
            lines.append("{}: {} -> {}".format(key.replace("_", " "), one[key], other[key]))
    theirs = {variable["name"]: variable for variable in other["variables"]}
    for mine in one["variables"]:
        its = theirs.pop(mine["name"], None)
        if its is None:
            lines.append("{}: only in the first".format(mine["name"]))
            continue
        for key in mine:
            if mine[key] != its[key]:
                lines.append("{}: {} {} -> {}".format(mine["name"], key.replace("_", " "), mine[key], its[key]))
    return lines + ["{}: only in the second".format(name) for name in theirs]


def _part_in_words(part: PartPlan) -> str:
    words = ["{} variable{}".format(part.variables, "" if part.variables == 1 else "s"), part.optimizer]
    if part.steps is not None:
        words.append("{} step{} in a row".format(part.steps, "" if part.steps == 1 else "s"))
    if part.reduction is not None:
        words.append(part.reduction)
    return "part {}: {}".format(part.name, ", ".join(words))


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
