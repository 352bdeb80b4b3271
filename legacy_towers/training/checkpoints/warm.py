"""Applies a warm start: reads values from a checkpoint, and writes them into the variables of a session."""
import re
from typing import Any, Dict, List, NamedTuple, Optional

from legacy_towers.compat import tf
from legacy_towers.compat.versions.slices import slice_of
from legacy_towers.errors import JobError
from legacy_towers.text.names import quoted
from legacy_towers.training.checkpoints import files
from legacy_towers.training.checkpoints.fits import by_checkpoint_name
from legacy_towers.training.checkpoints.newest import require_newest
from legacy_towers.training.checkpoints.verify import damage
from legacy_towers.training.warm_start import WarmStart

_AVERAGE = "/ExponentialMovingAverage"
_OPTIMIZER_STATE = re.compile(r"(^|.*/)(beta\d_power|ExponentialMovingAverage)(_\d+)?$")


class WarmStarted(NamedTuple):
    """What a warm start does with a variable.

    Attributes:
      variable: its name.
      source: its name in the checkpoint.
      problem: why it keeps its initial value, such as "not in the checkpoint"; "" if it gets that of the checkpoint.
    """

    variable: str
    source: str
    problem: str


class WarmStartReport(NamedTuple):
    """What a warm start does.

    Attributes:
      checkpoint: the prefix of the checkpoint.
      variables: a row per variable of the model.
      unused: the names in the checkpoint that no variable gets.
    """

    checkpoint: str
    variables: List[WarmStarted]
    unused: List[str]

    def matched(self) -> List[WarmStarted]:
        """Returns the variables that get values of the checkpoint."""
        return [row for row in self.variables if not row.problem]

    def __str__(self) -> str:
        """Returns a line with the numbers, and one for each variable that keeps its initial value."""
        matched = len(self.matched())
        lines = ["warm start: {:,} of {:,} variables from {}".format(matched, len(self.variables), self.checkpoint)]
        lines += ["  {!r} keeps its initial value: {}".format(row.variable, row.problem)
                  for row in self.variables if row.problem]
        if self.unused:
            lines.append("  not used of the checkpoint: {}".format(quoted(self.unused)))
        return "\n".join(lines)


class WarmStarter:
    """A warm start of the default graph: `report` is known before a session exists, `apply` writes the values.

    Raises:
      ArgumentError: a name or a regular expression fits no variable of the model.
      JobError: the checkpoint does not exist or is damaged, no variable matches, one that `names` names is not there,
        or `strict` is not fulfilled.
    """

    def __init__(self, warm_start: WarmStart) -> None:
        self._warm_start = warm_start
        checkpoint = _checkpoint_of(str(warm_start.checkpoint))
        self._reader = tf.train.load_checkpoint(checkpoint)
        self._saved = by_checkpoint_name(tf.global_variables())
        names = _candidates(self._saved, warm_start)
        warm_start.check_names(names)
        shapes = self._reader.get_variable_to_shape_map()
        dtypes = self._reader.get_variable_to_dtype_map()
        rows = []
        for name in names:
            source = warm_start.name_of(name)
            problem = "excluded" if not warm_start.is_included(name) else _problem(
                self._saved[name], source, shapes, dtypes
            )
            rows.append(WarmStarted(name, source, problem))
        used = {row.source for row in rows if not row.problem}
        unused = sorted(name for name in shapes if name not in used and name != tf.GraphKeys.GLOBAL_STEP)
        self.report = WarmStartReport(checkpoint, rows, unused)
        self._check()

    def apply(self, session: Any) -> None:
        """Writes the values into the variables of a session, in which they are initialized already."""
        for row in self.report.matched():
            value = self._reader.get_tensor(row.source)
            self._write(session, row.variable, value)
            if row.variable + _AVERAGE in self._saved and not self._is_matched(row.variable + _AVERAGE):
                self._write(session, row.variable + _AVERAGE, value)

    def _is_matched(self, name: str) -> bool:
        return any(row.variable == name for row in self.report.matched())

    def _write(self, session: Any, name: str, value: Any) -> None:
        saved = self._saved[name]
        for variable in saved if isinstance(saved, list) else [saved]:
            part = slice_of(variable) if isinstance(saved, list) else None
            own = value
            if part is not None:
                sizes = variable.shape.as_list()
                own = value[tuple(slice(start, start + size) for start, size in zip(part.offset, sizes))]
            # As Variable.load does: the graph may be finalized.
            session.run(variable.initializer, {variable.initializer.inputs[1]: own})

    def _check(self) -> None:
        report, warm_start = self.report, self._warm_start
        problems = ["{!r}: {}".format(row.variable, row.problem) for row in report.variables
                    if row.problem and row.problem != "excluded"]
        named = warm_start.names if isinstance(warm_start.names, dict) else {}
        wrong = [row for row in report.variables if row.variable in named and row.problem not in ("", "excluded")]
        if not report.matched():
            raise JobError(
                "warm start: no variable gets a value from {}: {}. The checkpoint has {}; give names, as in "
                "--warm-start-rename".format(
                    report.checkpoint, "; ".join(problems[:5]) or "all are excluded", quoted(report.unused)
                )
            )
        if wrong:
            raise JobError("warm start: {!r} can't get {!r} of {}: {}".format(
                wrong[0].variable, wrong[0].source, report.checkpoint, wrong[0].problem
            ))
        if warm_start.strict and problems:
            raise JobError("warm start: {} has no values for all variables, and strict is set: {}".format(
                report.checkpoint, "; ".join(problems)
            ))


def _checkpoint_of(name: str) -> str:
    if files.is_directory(name):
        return require_newest(name)
    for suffix in (".index", ".meta"):
        name = name[: -len(suffix)] if name.endswith(suffix) else name
    if not files.exists(name + ".index") and not files.exists(name):
        raise JobError("warm start: there is no checkpoint {!r}: give its name without .index, as in "
                       "run/model.ckpt-100, or its directory".format(name))
    wrong = damage(name)
    if wrong:
        raise JobError("warm start: the checkpoint {} is damaged: {}".format(name, wrong))
    return name


def _candidates(saved: Dict[str, Any], warm_start: WarmStart) -> List[str]:
    """Returns the names of the variables that a warm start is about: without `slots`, those of the model."""
    trainable = set(by_checkpoint_name(tf.trainable_variables()))
    names = [name for name in sorted(saved) if name != tf.GraphKeys.GLOBAL_STEP]
    if warm_start.slots:
        return names
    return [name for name in names if name in trainable or not (
        _OPTIMIZER_STATE.match(name) or any(name.startswith(each + "/") for each in trainable)
    )]


def _problem(saved: Any, source: str, shapes: Dict[str, Any], dtypes: Dict[str, Any]) -> str:
    """Returns why the checkpoint's `source` can't be the value of a variable; "" if it can."""
    if source not in shapes:
        return "{!r} is not in the checkpoint".format(source)
    one = saved[0] if isinstance(saved, list) else saved
    part = slice_of(one) if isinstance(saved, list) else None
    shape: Optional[Any] = one.shape if part is None else tf.TensorShape(part.whole_shape)
    if shape is not None and not shape.is_compatible_with(shapes[source]):
        return "its shape is {}, and {} in the checkpoint".format(shape.as_list(), list(shapes[source]))
    if one.dtype.base_dtype != dtypes[source]:
        return "its dtype is {}, and {} in the checkpoint".format(one.dtype.base_dtype.name, dtypes[source].name)
    return ""
