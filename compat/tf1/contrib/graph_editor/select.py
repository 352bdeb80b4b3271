"""Selection of ops and tensors by name or predicate; the selection by walks is in `walks`."""
import re
from typing import Any, Callable, List, Tuple

from legacy_towers.compat.tf1.contrib.graph_editor import util
from legacy_towers.compat.tf1.contrib.graph_editor.walks import (
    check_cios,
    compute_boundary_ts,
    get_backward_walk_ops,
    get_forward_walk_ops,
    get_ops_ios,
    get_walks_intersection_ops,
    get_walks_union_ops,
    get_within_boundary_ops,
)
from legacy_towers.compat.tf1.contrib.private import graph_editing

__all__ = [
    "can_be_regex",
    "check_cios",
    "compute_boundary_ts",
    "filter_ops",
    "filter_ops_from_regex",
    "filter_ts",
    "filter_ts_from_regex",
    "get_backward_walk_ops",
    "get_forward_walk_ops",
    "get_name_scope_ops",
    "get_ops_ios",
    "get_walks_intersection_ops",
    "get_walks_union_ops",
    "get_within_boundary_ops",
    "make_regex",
    "select_ops",
    "select_ops_and_ts",
    "select_ts",
]

_PATTERN = type(re.compile(""))
# The prefix of regular expressions that select only ops, or only tensors.
_FOR_OPS, _FOR_TENSORS = "(?#ops)", "(?#ts)"


def can_be_regex(obj: Any) -> bool:
    """Returns whether `obj` is a string or a compiled regular expression."""
    return isinstance(obj, (str, _PATTERN))


def make_regex(obj: Any) -> Any:
    """Returns the compiled regular expression of `obj`.

    Raises:
      ValueError: `obj` is neither a string nor a compiled regular expression.
    """
    if not can_be_regex(obj):
        raise ValueError("Expected a string or a regex, got: {}".format(type(obj)))
    return re.compile(obj)


def filter_ts(ops: Any, positive_filter: Any) -> List[Any]:
    """Returns the inputs and outputs of `ops` for which the function `positive_filter` is true; True: all."""
    ops = util.make_list_of_op(ops)
    tensors = util.concatenate_unique([], (tensor for op in ops for tensor in op.inputs))
    util.concatenate_unique(tensors, (tensor for op in ops for tensor in op.outputs))
    return tensors if positive_filter is True else [tensor for tensor in tensors if positive_filter(tensor)]


def filter_ts_from_regex(ops: Any, regex: Any) -> List[Any]:
    """Returns the inputs and outputs of `ops` whose names contain a match of `regex`."""
    pattern = make_regex(regex)
    return filter_ts(ops, lambda tensor: pattern.search(tensor.name))


def filter_ops(ops: Any, positive_filter: Any) -> List[Any]:
    """Returns those of `ops` for which the function `positive_filter` is true; True: all."""
    ops = util.make_list_of_op(ops)
    return ops if positive_filter is True else [op for op in ops if positive_filter(op)]


def filter_ops_from_regex(ops: Any, regex: Any) -> List[Any]:
    """Returns those of `ops` whose names contain a match of `regex`."""
    pattern = make_regex(regex)
    return filter_ops(ops, lambda op: pattern.search(op.name))


def get_name_scope_ops(ops: Any, scope: str) -> List[Any]:
    """Returns those of `ops` that are in the name scope `scope` or have its name."""
    return filter_ops_from_regex(ops, "^{}(/.*)?$".format(scope[:-1] if scope.endswith("/") else scope))


def _select(
    args: Tuple[Any, ...],
    options: Any,
    prefix: str,
    other_prefix: str,
    filter_from_regex: Callable[[Any, Any], List[Any]],
    make_list: Callable[[Any], List[Any]],
) -> List[Any]:
    options = dict(options)
    graph, positive_filter = options.pop("graph", None), options.pop("positive_filter", None)
    requires_prefix = {mark: options.pop(key, False) for mark, key in _RESTRICTIONS.items()}[prefix]
    if options:
        raise ValueError("Wrong keywords argument: {}.".format(sorted(options)[0]))
    if graph is not None and not graph_editing.is_graph(graph):
        raise TypeError("Expected a tf.Graph, got: {}".format(type(graph)))
    selected: List[Any] = []
    for each in args:
        if can_be_regex(each):
            if graph is None:
                raise ValueError("Use the keyword argument 'graph' to use regex.")
            regex = make_regex(each)
            if regex.pattern.startswith(other_prefix) or (requires_prefix and not regex.pattern.startswith(prefix)):
                continue
            elements = filter_from_regex(graph, regex)
        else:
            elements = make_list(each)
        util.concatenate_unique(
            selected, (element for element in elements if positive_filter is None or positive_filter(element))
        )
    return selected


_RESTRICTIONS = {_FOR_OPS: "restrict_ops_regex", _FOR_TENSORS: "restrict_ts_regex"}


def select_ops(*args: Any, **kwargs: Any) -> List[Any]:
    """Returns the ops selected by the arguments, each once.

    Args:
      args: ops, iterables of ops, and regular expressions that ops' names match; tensors are left out.
      graph: the graph whose ops' names are matched; required with regular expressions.
      positive_filter: op -> whether it is selected.
      restrict_ops_regex: whether regular expressions must begin with "(?#ops)" to select ops.

    Raises:
      TypeError: an argument is none of these.
      ValueError: a regular expression is given without `graph`, or a keyword argument is unknown.
    """
    return _select(
        args, kwargs, _FOR_OPS, _FOR_TENSORS, filter_ops_from_regex, lambda x: util.make_list_of_op(x, ignore_ts=True)
    )


def select_ts(*args: Any, **kwargs: Any) -> List[Any]:
    """Returns the tensors selected by the arguments, each once; the arguments are like those of `select_ops`."""
    return _select(
        args, kwargs, _FOR_TENSORS, _FOR_OPS, filter_ts_from_regex, lambda x: util.make_list_of_t(x, ignore_ops=True)
    )


def select_ops_and_ts(*args: Any, **kwargs: Any) -> Tuple[List[Any], List[Any]]:
    """Returns (ops, tensors) selected by the arguments; regular expressions select tensors if they begin with "(?#ts)".

    The arguments are like those of `select_ops`.
    """
    return (
        select_ops(*args, restrict_ops_regex=False, **kwargs),
        select_ts(*args, restrict_ts_regex=True, **kwargs),
    )
