"""string_input_producer, slice_input_producer, range_input_producer and input_producer as datasets."""
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import libcst as cst

from legacy_towers.migrate.source.rewrite.names import dotted
from legacy_towers.migrate.source.rewrite.scope import Scope, literal

Given = Dict[str, cst.BaseExpression]


class Cant(Exception):
    """A call can't be rewritten; the message is the reason."""


def check_given(given: Given, names: Sequence[str]) -> None:
    """Raises Cant if the call does not have one of the arguments `names`."""
    for name in names:
        if name not in given:
            raise Cant("its {} is not in its call".format(name))


LIMIT = "tf.train.limit_epochs"
_END = ("num_epochs", "shuffle", "seed", "capacity", "shared_name", "name")
PARAMETERS: Dict[str, Tuple[str, ...]] = {
    "tf.train.string_input_producer": ("string_tensor",) + _END + ("cancel_op",),
    "tf.train.slice_input_producer": ("tensor_list",) + _END,
    "tf.train.range_input_producer": ("limit",) + _END,
    "tf.train.input_producer": ("input_tensor", "element_shape") + _END[:5] + ("summary_name", "name", "cancel_op"),
    LIMIT: ("tensor", "num_epochs", "name"),
}


class Slices(NamedTuple):
    """What a producer takes its elements from.

    Attributes:
      lines: statements before.
      dataset: the expression of the dataset of its elements, in order.
      number: the expression of their number; None: the dataset shuffles them itself.
    """

    lines: List[str]
    dataset: str
    number: Optional[str]


def lines_of(name: str, given: Given, scope: Scope, tf: str, dataset: str) -> List[str]:
    """Returns the statements that make the dataset of a producer.

    Args:
      name: the name of the producer's function.
      given: parameter -> expression.
      scope: where the statements stand.
      tf: what TensorFlow is called there.
      dataset: the name of the variable.

    Raises:
      Cant: no dataset is the same.
    """
    refuse_shared(given)
    if "cancel_op" in given:
        raise Cant("its cancel_op stops the queue")
    shuffle = given.get("shuffle")
    shuffles = literal(shuffle) if shuffle is not None else "True"
    slices = _SLICES[name](given, scope, tf, shuffles != "False")
    lines = slices.lines + ["{} = {}".format(dataset, slices.dataset)]
    if shuffles != "False" and slices.number is not None:
        seed = ", seed={}".format(scope.code(given["seed"])) if _is_given(given, "seed") else ""
        line = "{0} = {0}.shuffle({1}{2})".format(dataset, slices.number, seed)
        if shuffles is None and shuffle is not None:
            lines += ["if {}:".format(scope.code(shuffle)), "    " + line]
        elif slices.number != "1":
            lines.append(line)
    epochs = literal(given["num_epochs"]) if "num_epochs" in given else "None"
    if epochs == "None":
        lines.append("{0} = {0}.repeat()".format(dataset))
    elif epochs != "1":
        lines.append("{0} = {0}.repeat({1})".format(dataset, scope.code(given["num_epochs"])))
    return lines


def refuse_shared(given: Given) -> None:
    """Raises Cant if a queue has a shared_name."""
    if _is_given(given, "shared_name") and not _is_empty(given["shared_name"]):
        raise Cant("its shared_name lets several processes read from one queue")


def is_matched(value: Any) -> bool:
    """Returns whether an expression is a call of match_filenames_once."""
    return isinstance(value, cst.Call) and dotted(value.func).rpartition(".")[2] == "match_filenames_once"


def _is_given(given: Given, name: str) -> bool:
    return name in given and literal(given[name]) != "None"


def _is_empty(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.SimpleString) and node.value in ("''", '""')


def _strings(given: Given, scope: Scope, tf: str, shuffles: bool) -> Slices:
    names = given["string_tensor"]
    resolved = scope.resolved(names)
    if isinstance(resolved, cst.Call) and is_matched(resolved):
        if not resolved.args or len(resolved.args) > 1:
            raise Cant("match_filenames_once has a name")
        if resolved is not names:
            raise Cant("the result of match_filenames_once has a name, and may be used elsewhere")
        return _files(scope.code(resolved.args[0].value), given, scope, tf, shuffles)
    if isinstance(resolved, cst.List) and len(resolved.elements) == 1:
        if not isinstance(resolved.elements[0], cst.StarredElement):
            return Slices([], "{}.data.Dataset.from_tensor_slices({})".format(tf, scope.code(names)), "1")
    lines, name = [], scope.code(names)
    if shuffles and not isinstance(names, (cst.Name, cst.Attribute)):
        name = scope.fresh("filenames", "file_names")
        lines = ["{} = {}".format(name, scope.code(names))]
    count = "len({})".format(name) if scope.is_list(names) else "{0}.size({1}, out_type={0}.int64)".format(tf, name)
    return Slices(lines, "{}.data.Dataset.from_tensor_slices({})".format(tf, name), count)


def _files(pattern: str, given: Given, scope: Scope, tf: str, shuffles: bool) -> Slices:
    shuffle = given.get("shuffle")
    options = "" if shuffle is None or literal(shuffle) == "True" else ", shuffle={}".format(scope.code(shuffle))
    if shuffles and _is_given(given, "seed"):
        options += ", seed={}".format(scope.code(given["seed"]))
    return Slices([], "{}.data.Dataset.list_files({}{})".format(tf, pattern, options), None)


def _slices(given: Given, scope: Scope, tf: str, shuffles: bool) -> Slices:
    tensors = given["tensor_list"]
    if isinstance(tensors, (cst.List, cst.Tuple)):
        parts = [each.value for each in tensors.elements]
        if any(isinstance(each, cst.StarredElement) for each in tensors.elements):
            raise Cant("its list of tensors has a *")
        text = ", ".join(scope.code(each) for each in parts)
        is_list, count_of = scope.is_list(parts[0]), scope.code(parts[0])
        text = "({},)".format(text) if len(parts) == 1 else "({})".format(text)
    elif isinstance(tensors, cst.Name):
        is_list, text = False, "tuple({})".format(scope.code(tensors))
        count_of = "{}[0]".format(scope.code(tensors))
    else:
        raise Cant("its tensors are not a list that the source shows")
    count = "len({})".format(count_of) if is_list else _rows(count_of, tf)
    return Slices([], "{}.data.Dataset.from_tensor_slices({})".format(tf, text), count)


def _range(given: Given, scope: Scope, tf: str, shuffles: bool) -> Slices:
    limit = scope.code(given["limit"])
    count = limit if scope.is_constant(given["limit"]) else "{0}.cast({1}, {0}.int64)".format(tf, limit)
    return Slices([], "{0}.data.Dataset.from_tensor_slices({0}.range({1}))".format(tf, limit), count)


def _inputs(given: Given, scope: Scope, tf: str, shuffles: bool) -> Slices:
    if "element_shape" in given and literal(given["element_shape"]) != "None":
        raise Cant("it has an element_shape")
    tensor = scope.code(given["input_tensor"])
    return Slices([], "{}.data.Dataset.from_tensor_slices({})".format(tf, tensor), _rows(tensor, tf))


def _limited(given: Given, scope: Scope, tf: str, shuffles: bool) -> Slices:
    """Returns the dataset of the one tensor that limit_epochs gives in each epoch."""
    return Slices([], "{}.data.Dataset.from_tensors({})".format(tf, scope.code(given["tensor"])), None)


def _rows(tensor: str, tf: str) -> str:
    return "{0}.shape({1}, out_type={0}.int64)[0]".format(tf, tensor)


_SLICES: Dict[str, Callable[[Given, Scope, str, bool], Slices]] = {
    "tf.train.string_input_producer": _strings,
    "tf.train.slice_input_producer": _slices,
    "tf.train.range_input_producer": _range,
    "tf.train.input_producer": _inputs,
    LIMIT: _limited,
}
