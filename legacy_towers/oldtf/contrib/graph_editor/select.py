"""Choosing operations and tensors: by names, and by walks through the graph."""
import re
from typing import Any, Callable, List, Tuple

from legacy_towers.compat import graph_editing
from legacy_towers.oldtf.contrib.graph_editor import util
from legacy_towers.oldtf.contrib.graph_editor.walks import (
    check_cios,
    compute_boundary_ts,
    get_backward_walk_ops,
    get_forward_walk_ops,
    get_ops_ios,
    get_walks_intersection_ops,
    get_walks_union_ops,
    get_within_boundary_ops,
)

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
# What a regular expression begins with that is for one of the two kinds.
_FOR_OPS, _FOR_TENSORS = "(?#ops)", "(?#ts)"


def can_be_regex(obj: Any) -> bool:
    """Returns whether `obj` is text or a compiled regular expression."""
    return isinstance(obj, (str, _PATTERN))


def make_regex(obj: Any) -> Any:
    """Returns the compiled regular expression.

    Raises:
      ValueError: `obj` is neither text nor compiled.
    """
    if not can_be_regex(obj):
        raise ValueError("Expected a string or a regex, got: {}".format(type(obj)))
    return re.compile(obj)


def filter_ts(ops: Any, positive_filter: Any) -> List[Any]:
    """Returns the tensors that `ops` read and give, those for which `positive_filter` is true; True: all."""
    ops = util.make_list_of_op(ops)
    found = util.concatenate_unique([], (tensor for op in ops for tensor in op.inputs))
    util.concatenate_unique(found, (tensor for op in ops for tensor in op.outputs))
    return found if positive_filter is True else [tensor for tensor in found if positive_filter(tensor)]


def filter_ts_from_regex(ops: Any, regex: Any) -> List[Any]:
    """Returns the tensors that `ops` read and give whose names have a match of `regex`."""
    pattern = make_regex(regex)
    return filter_ts(ops, lambda tensor: pattern.search(tensor.name))


def filter_ops(ops: Any, positive_filter: Any) -> List[Any]:
    """Returns those of `ops` for which `positive_filter` is true; True: all."""
    ops = util.make_list_of_op(ops)
    return ops if positive_filter is True else [op for op in ops if positive_filter(op)]


def filter_ops_from_regex(ops: Any, regex: Any) -> List[Any]:
    """Returns those of `ops` whose names have a match of `regex`."""
    pattern = make_regex(regex)
    return filter_ops(ops, lambda op: pattern.search(op.name))


def get_name_scope_ops(ops: Any, scope: str) -> List[Any]:
    """Returns those of `ops` that are in the name scope, or called as it is."""
    return filter_ops_from_regex(ops, "^{}(/.*)?$".format(scope[:-1] if scope.endswith("/") else scope))


def _selected(
    given: Tuple[Any, ...],
    options: Any,
    own: str,
    others: str,
    by_regex: Callable[[Any, Any], List[Any]],
    listed: Callable[[Any], List[Any]],
) -> List[Any]:
    options = dict(options)
    graph, accepts = options.pop("graph", None), options.pop("positive_filter", None)
    only_marked = {mark: options.pop(key, False) for mark, key in _RESTRICTIONS.items()}[own]
    if options:
        raise ValueError("Wrong keywords argument: {}.".format(sorted(options)[0]))
    if graph is not None and not graph_editing.is_graph(graph):
        raise TypeError("Expected a tf.Graph, got: {}".format(type(graph)))
    found: List[Any] = []
    for each in given:
        if can_be_regex(each):
            if graph is None:
                raise ValueError("Use the keyword argument 'graph' to use regex.")
            pattern = make_regex(each)
            if pattern.pattern.startswith(others) or (only_marked and not pattern.pattern.startswith(own)):
                continue
            chosen = by_regex(graph, pattern)
        else:
            chosen = listed(each)
        util.concatenate_unique(found, (one for one in chosen if accepts is None or accepts(one)))
    return found


_RESTRICTIONS = {_FOR_OPS: "restrict_ops_regex", _FOR_TENSORS: "restrict_ts_regex"}


def select_ops(*args: Any, **kwargs: Any) -> List[Any]:
    """Returns operations, given themselves, in lists, or by regular expressions.

    Args:
      args: operations, lists of them, and regular expressions of names; tensors are left out.
      graph: where names are looked for.
      positive_filter: a function that is true for the operations that are wanted.
      restrict_ops_regex: only expressions that begin with "(?#ops)" count.

    Raises:
      TypeError: something is neither.
      ValueError: an expression without `graph`, or an unknown argument.
    """
    return _selected(
        args, kwargs, _FOR_OPS, _FOR_TENSORS, filter_ops_from_regex, lambda x: util.make_list_of_op(x, ignore_ts=True)
    )


def select_ts(*args: Any, **kwargs: Any) -> List[Any]:
    """Returns tensors, given themselves, in lists, or by regular expressions; see `select_ops`."""
    return _selected(
        args, kwargs, _FOR_TENSORS, _FOR_OPS, filter_ts_from_regex, lambda x: util.make_list_of_t(x, ignore_ops=True)
    )


def select_ops_and_ts(*args: Any, **kwargs: Any) -> Tuple[List[Any], List[Any]]:
    """Returns (operations, tensors); expressions are for operations unless they begin with "(?#ts)"."""
    return (
        select_ops(*args, restrict_ops_regex=False, **kwargs),
        select_ts(*args, restrict_ts_regex=True, **kwargs),
    )
