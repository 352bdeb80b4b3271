"""What was decided when a step was built, as plain values that can be printed and saved as JSON."""
import json
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.inputs.base import InputPlan
from legacy_towers.names import quoted
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

    def uses(self) -> List[Tuple[str, str]]:
        """Returns what is where, (in words, the device): the variables of each device, and their gradients' sums.

            ("'conv/kernel', 'conv/bias' live", "/device:CPU:1"), ("the gradients of 'fc/w' are made one", "/cpu:2")
        """
        living: Dict[str, List[str]] = {}
        reduced: Dict[str, List[str]] = {}
        for variable in self.variables:
            for device in dict.fromkeys([variable.device] + variable.copies):
                living.setdefault(device, []).append(variable.name)
            if variable.reduced_on:
                reduced.setdefault(variable.reduced_on, []).append(variable.name)
        return [
            ("{} {}".format(quoted(names), "lives" if len(names) == 1 else "live"), device)
            for device, names in living.items()
        ] + [
            ("the gradients of {} are made one".format(quoted(names)), device) for device, names in reduced.items()
        ]

    def differences(self, other: "Plan") -> str:
        """Returns in words what `other` decided otherwise, a line each; "" if nothing.

            devices: 2 towers on /cpu:0 and /cpu:1 -> 4 towers on /cpu:0 to /cpu:3
            input global batch size: 64 -> 128
            reduction: mean() -> tree()
            part discriminator: steps 5 -> 3
            conv/kernel: device /device:CPU:0 -> /device:CPU:1
        """
        lines = []
        if self.devices != other.devices:
            lines.append("devices: {} -> {}".format(towers_in_words(self.devices), towers_in_words(other.devices)))
        mine, its = self.as_dict(), other.as_dict()
        for key in ("devices", "parts", "variables"):
            del mine[key], its[key]
        lines += _rows_that_differ("", mine, its)
        lines += _named_rows_that_differ("part ", self.parts, other.parts)
        lines += _named_rows_that_differ("", self.variables, other.variables)
        return "\n".join(lines)

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


def _rows_that_differ(title: str, one: Dict[str, Any], other: Dict[str, Any]) -> List[str]:
    """Returns a line for each value that differs; a value that is a dict gives a line for each of its own."""
    lines: List[str] = []
    for key in list(one) + [key for key in other if key not in one]:
        name = (title + " " if title else "") + key.replace("_", " ")
        mine, its = one.get(key), other.get(key)
        if isinstance(mine, dict) and isinstance(its, dict):
            lines += _rows_that_differ(name, mine, its)
        elif mine != its:
            lines.append("{}: {} -> {}".format(name, _in_words(mine), _in_words(its)))
    return lines


def _named_rows_that_differ(title: str, one: Sequence[Any], other: Sequence[Any]) -> List[str]:
    """Returns the lines of rows that have a name, such as variables: what differs, and what only one plan has."""
    lines: List[str] = []
    theirs = {row.name: row for row in other}
    for mine in one:
        its = theirs.pop(mine.name, None)
        if its is None:
            lines.append("{}{}: only in the first".format(title, mine.name))
            continue
        for key, value in mine._asdict().items():
            found = getattr(its, key)
            if value != found:
                words = key.replace("_", " "), _in_words(value), _in_words(found)
                lines.append("{}{}: {} {} -> {}".format(title, mine.name, *words))
    lines += ["{}{}: only in the second".format(title, name) for name in theirs]
    if not lines and [row.name for row in one] != [row.name for row in other]:
        lines.append("{}: {} -> {}".format(
            title.strip() + "s in another order" if title else "variables in another order",
            ", ".join(row.name for row in one), ", ".join(row.name for row in other),
        ))
    return lines


def _in_words(value: Any) -> str:
    if value is None or value == "" or isinstance(value, (list, tuple)) and not value:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


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
