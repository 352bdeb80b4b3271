"""`Plan`: what was decided when a step was built, as plain values that can be printed and saved as JSON."""
import json
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from legacy_towers.inputs.base import InputPlan
from legacy_towers.text.documented_fields import documented_fields
from legacy_towers.text.names import quoted
from legacy_towers.text.terminal import FILE, Layout, printed_layout


@documented_fields
class VariablePlan(NamedTuple):
    """One variable: what it is, where it lives, and how its gradient is reduced.

    Attributes:
      name: the name of the variable.
      shape: its static shape, with None for an unknown dimension.
      dtype: the name of its dtype, such as "float32".
      bytes: its size; None where the shape is not known.
      device: where it is.
      trainable: whether it is trainable.
      gradient: "dense", "sparse", or None for a variable that the optimizer does not write.
      reduced_by: how the towers' gradients are reduced: "add_n", "tree", ...
      reduced_on: the device of the sum; None where there is no single one.
      bucket: the number of the bucket that they are reduced in; None without buckets.
      objective: the name of the objective that trains it; None where the model has one loss.
      copies: the devices of the towers' own copies; [] where all towers share it.
    """

    name: str
    shape: List[Optional[int]]
    dtype: str
    bytes: Optional[int]
    device: str
    trainable: bool
    gradient: Optional[str]
    reduced_by: Optional[str]
    reduced_on: Optional[str]
    bucket: Optional[int]
    objective: Optional[str]
    copies: List[str]


@documented_fields
class ObjectivePlan(NamedTuple):
    """One objective of a step that has several.

    Attributes:
      name: the name of the objective.
      optimizer: the class of its optimizer.
      variables: the number of variables that it trains.
      steps: its steps in a row; None where objectives are trained jointly.
      reduction: its own reduction; None: the step's.
    """

    name: str
    optimizer: str
    variables: int
    steps: Optional[int]
    reduction: Optional[str]


@documented_fields
class Plan(NamedTuple):
    """All decisions of one train step.

    Attributes:
      devices: a device string per tower.
      input: the decisions of the input pipeline.
      strategy: where variables live and how they are updated, such as "ParameterServer('/cpu:0')".
      use_resource: whether they are resource variables.
      reduction: how the towers' gradients are reduced, such as "mean()".
      objectives: a row per objective; [] where the model has one loss.
      variables: a row per global variable: trained ones first.
      regularization: how each regularization loss is counted once.
      update_ops: which update ops run, such as those of batch norm.
      summaries: which summaries are kept.
      moving_average_decay: the decay of the variables' moving averages; None without them.
      validating: the towers that validate; all others train.
      weights: the towers' weights in means over towers; "": all weigh the same.
      workers: which worker of a cluster this is, and what all of them send; "" for one process.
    """

    devices: List[str]
    input: InputPlan
    strategy: str
    use_resource: bool
    reduction: str
    objectives: List[ObjectivePlan]
    variables: List[VariablePlan]
    regularization: str
    update_ops: str
    summaries: str
    moving_average_decay: Optional[float]
    validating: List[int] = []
    weights: str = ""
    workers: str = ""

    def as_dict(self) -> Dict[str, Any]:
        """Returns the plan as dicts, lists, strings and numbers, for `json.dumps`."""
        plan = dict(self._asdict())
        plan["input"] = dict(self.input._asdict())
        plan["variables"] = [dict(variable._asdict()) for variable in self.variables]
        plan["objectives"] = [dict(objective._asdict()) for objective in self.objectives]
        return plan

    def as_json(self) -> str:
        """Returns the whole plan as JSON text, in an order that does not change from run to run."""
        return json.dumps(self.as_dict(), indent=2, sort_keys=True, default=str)

    def uses(self) -> List[Tuple[str, str]]:
        """Returns (what is on a device, the device) for the variables of each device, and for their gradients' sums.

            ("'conv/kernel', 'conv/bias' live", "/device:CPU:1"), ("the gradients of 'fc/w' are reduced", "/cpu:2")
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
            ("the gradients of {} are reduced".format(quoted(names)), device) for device, names in reduced.items()
        ]

    def differences(self, other: "Plan") -> str:
        """Returns a line for each decision that differs in `other`; "" if none does.

            devices: 2 towers on /cpu:0 and /cpu:1 -> 4 towers on /cpu:0 to /cpu:3
            input global batch size: 64 -> 128
            reduction: mean() -> tree()
            objective discriminator: steps 5 -> 3
            conv/kernel: device /device:CPU:0 -> /device:CPU:1
        """
        lines = []
        if self.devices != other.devices:
            lines.append("devices: {} -> {}".format(describe_towers(self.devices), describe_towers(other.devices)))
        mine, its = self.as_dict(), other.as_dict()
        for key in ("devices", "objectives", "variables"):
            del mine[key], its[key]
        lines += _changed_values("", mine, its)
        lines += _changed_rows("objective ", self.objectives, other.objectives)
        lines += _changed_rows("", self.variables, other.variables)
        return "\n".join(lines)

    def summary(self) -> str:
        """Returns a line for each decision, without the table of variables."""
        lines = [
            describe_towers(self.devices),
            "input: {}".format(self.input),
            "variables: {}, {} {} variables ({:,} bytes)".format(
                self.strategy, len(self.variables), "resource" if self.use_resource else "ref",
                sum(variable.bytes or 0 for variable in self.variables),
            ),
            "gradients: {}".format(self.reduction),
            "regularization: " + self.regularization,
            "update ops: " + self.update_ops,
            "summaries: " + self.summaries,
        ]
        lines += [_describe_objective(objective) for objective in self.objectives]
        if self.workers:
            lines.insert(1, "workers: " + self.workers)
        if self.validating:
            lines.insert(1, _describe_validation(self.validating))
        if self.weights:
            lines.append("mean over towers: " + self.weights)
        if self.moving_average_decay is not None:
            lines.append("moving averages: decay {:g} over the trainable variables".format(self.moving_average_decay))
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.as_text(printed_layout())

    def as_text(self, layout: Layout = FILE) -> str:
        """Returns the summary and the table of variables, in the given layout, by default that of a file."""
        return self.summary() + "\n\n" + self.table(layout)

    def table(self, layout: Layout = FILE) -> str:
        """Returns the variables as a table, one line each where the layout is wide enough."""
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
                variable.objective or "",
            ]
            for variable in self.variables
        ]
        header = [
            "variable", "shape", "dtype", "bytes", "lives on", "gradient", "reduced by", "reduced on", "bucket",
            "objective",
        ]
        # An empty column is left out.
        kept = [column for column in range(len(header)) if column < 5 or any(row[column] != "" for row in rows)]
        alignment = "lllrllllrl"
        return layout.table(
            [header[column] for column in kept],
            [[row[column] for column in kept] for row in rows],
            "".join(alignment[column] for column in kept),
        )


def _changed_values(title: str, one: Dict[str, Any], other: Dict[str, Any]) -> List[str]:
    """Returns a line for each value that differs; for dicts in dicts, a line for each value in them."""
    lines: List[str] = []
    for key in list(one) + [key for key in other if key not in one]:
        name = (title + " " if title else "") + key.replace("_", " ")
        mine, its = one.get(key), other.get(key)
        if isinstance(mine, dict) and isinstance(its, dict):
            lines += _changed_values(name, mine, its)
        elif mine != its:
            lines.append("{}: {} -> {}".format(name, _format_value(mine), _format_value(its)))
    return lines


def _changed_rows(title: str, one: Sequence[Any], other: Sequence[Any]) -> List[str]:
    """Returns a line for each difference in named rows, such as variables, and for each row that one plan lacks."""
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
                change = "{} {} -> {}".format(key.replace("_", " "), _format_value(value), _format_value(found))
                lines.append("{}{}: {}".format(title, mine.name, change))
    lines += ["{}{}: only in the second".format(title, name) for name in theirs]
    if not lines and [row.name for row in one] != [row.name for row in other]:
        lines.append("{}: {} -> {}".format(
            title.strip() + "s in another order" if title else "variables in another order",
            ", ".join(row.name for row in one), ", ".join(row.name for row in other),
        ))
    return lines


def _format_value(value: Any) -> str:
    if value is None or value == "" or isinstance(value, (list, tuple)) and not value:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _describe_objective(objective: ObjectivePlan) -> str:
    facts = ["{} variable{}".format(objective.variables, "" if objective.variables == 1 else "s"), objective.optimizer]
    if objective.steps is not None:
        facts.append("{} step{} in a row".format(objective.steps, "" if objective.steps == 1 else "s"))
    if objective.reduction is not None:
        facts.append(objective.reduction)
    return "objective {}: {}".format(objective.name, ", ".join(facts))


def _describe_validation(validating: Sequence[int]) -> str:
    return "validation: tower{} {}, without gradients; the mean divides by the towers that train".format(
        "" if len(validating) == 1 else "s", " and ".join(map(str, validating))
    )


def describe_towers(devices: Sequence[str]) -> str:
    """Returns "4 towers on /cpu:0 to /cpu:3": consecutive devices by the first and the last, others one by one."""
    stem, _, first = devices[0].rpartition(":")
    row = ["{}:{}".format(stem, int(first) + number) for number in range(len(devices))] if first.isdigit() else []
    if row == list(devices) and len(devices) > 2:
        names = "{} to {}".format(devices[0], devices[-1])
    elif len(set(devices)) == 1:
        names = devices[0]
    else:
        names = "{} and {}".format(", ".join(devices[:-1]), devices[-1])
    return "{} tower{} on {}".format(len(devices), "" if len(devices) == 1 else "s", names)
