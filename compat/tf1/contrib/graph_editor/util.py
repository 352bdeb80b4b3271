"""Lists and trees of ops and tensors, control outputs, and placeholders of the graph editor."""
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional

from legacy_towers.compat.tf1.contrib.private import graph_editing
from legacy_towers.compat.versions import tf

__all__ = [
    "ControlOutputs",
    "get_consuming_ops",
    "get_generating_ops",
    "get_tensors",
    "make_list_of_op",
    "make_list_of_t",
    "make_placeholder_from_dtype_and_shape",
    "make_placeholder_from_tensor",
    "placeholder_name",
]

_PREFIX = "geph"


def concatenate_unique(la: List[Any], lb: Iterable[Any]) -> List[Any]:
    """Appends the elements of `lb` that are not in `la` to `la`, and returns `la`."""
    known = set(la)
    for each in lb:
        if each not in known:
            la.append(each)
            known.add(each)
    return la


class ListView:
    """A read-only view of a list."""

    def __init__(self, list_: List[Any]) -> None:
        if not isinstance(list_, list):
            raise TypeError("Expected a list, got: {}.".format(type(list_)))
        self._list = list_

    def __iter__(self) -> Iterator[Any]:
        return iter(self._list)

    def __len__(self) -> int:
        return len(self._list)

    def __bool__(self) -> bool:
        return bool(self._list)

    def __getitem__(self, i: Any) -> Any:
        return self._list[i]

    def __add__(self, other: Iterable[Any]) -> List[Any]:
        return list(self) + list(other)


def is_iterable(obj: Any) -> bool:
    """Returns whether `obj` is iterable; False for tensors."""
    if isinstance(obj, tf.Tensor):
        return False
    try:
        iter(obj)
    except Exception:  # whatever its own __iter__ raises
        return False
    return True


def flatten_tree(tree: Any, leaves: Optional[List[Any]] = None) -> List[Any]:
    """Appends the leaves of nested iterables and dict values to `leaves`, and returns it."""
    leaves = [] if leaves is None else leaves
    if is_iterable(tree):
        for child in tree.values() if isinstance(tree, dict) else tree:
            flatten_tree(child, leaves)
    else:
        leaves.append(tree)
    return leaves


def transform_tree(tree: Any, fn: Callable[[Any], Any], iterable_type: type = tuple) -> Any:
    """Returns `tree` with `fn` applied to each leaf.

    Iterables other than dict, tuple and list become `iterable_type`.
    """
    if not is_iterable(tree):
        return fn(tree)
    if isinstance(tree, dict):
        return type(tree)((key, transform_tree(child, fn)) for key, child in tree.items())
    changed = [transform_tree(child, fn) for child in tree]
    if isinstance(tree, tuple):
        return type(tree)(*changed) if hasattr(tree, "_asdict") else type(tree)(changed)
    return type(tree)(changed) if isinstance(tree, list) else iterable_type(changed)


def check_graphs(*args: Any) -> None:
    """Raises ValueError where `args` belong to different graphs."""
    graph = None
    for index, each in enumerate(args):
        if graph is None:
            graph = each.graph
        elif each.graph is not None and each.graph is not graph:
            raise ValueError("Argument[{}]: Wrong graph!".format(index))


def get_unique_graph(tops: Any, check_types: Any = None, none_if_empty: bool = False) -> Any:
    """Returns the graph of the ops and tensors `tops`; `tops` may be a graph itself.

    Raises:
      TypeError: an element is neither an op nor a tensor, or not of `check_types`.
      ValueError: the elements belong to different graphs, or there are none and `none_if_empty` is false.
    """
    if graph_editing.is_graph(tops):
        return tops
    if not is_iterable(tops):
        raise TypeError("{} is not iterable".format(type(tops)))
    types = check_types or (tf.Operation, tf.Tensor)
    types = tuple(types) if is_iterable(types) else (types,)
    graph = None
    for each in tops:
        if not isinstance(each, types):
            raise TypeError("Expected a type in ({}), got: {}".format(", ".join(map(str, types)), type(each)))
        if graph is not None and graph is not each.graph:
            raise ValueError("Operation {} does not belong to given graph".format(each))
        graph = each.graph
    if graph is None and not none_if_empty:
        raise ValueError("Can't find the unique graph of an empty list")
    return graph


def _make_list(
    value: Any,
    element_type: type,
    elements_of_graph: Callable[[Any], List[Any]],
    check_graph: bool,
    allow_graph: bool,
    ignore_other_types: bool,
) -> Any:
    if graph_editing.is_graph(value):
        if not allow_graph:
            raise TypeError("allow_graph is False: cannot convert a tf.Graph.")
        return elements_of_graph(value)
    elements = list(value) if is_iterable(value) else [value]
    if elements and check_graph:
        get_unique_graph(elements, check_types=None if ignore_other_types else element_type)
    return [each for each in elements if isinstance(each, element_type)]


def make_list_of_op(
    ops: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ts: bool = False
) -> List[Any]:
    """Returns a list of ops from an op, an iterable of ops, or a graph (all of its ops).

    Args:
      check_graph: whether all must belong to one graph.
      allow_graph: whether `ops` may be a graph.
      ignore_ts: whether tensors are left out.

    Raises:
      TypeError: an element is not an op.
      ValueError: the ops belong to different graphs.
    """
    return _make_list(ops, tf.Operation, lambda graph: graph.get_operations(), check_graph, allow_graph, ignore_ts)


def get_tensors(graph: Any) -> List[Any]:
    """Returns all tensors of a graph.

    Raises:
      TypeError: `graph` is not a graph.
    """
    if not graph_editing.is_graph(graph):
        raise TypeError("Expected a graph, got: {}".format(type(graph)))
    return [tensor for op in graph.get_operations() for tensor in op.outputs]


def make_list_of_t(ts: Any, check_graph: bool = True, allow_graph: bool = True, ignore_ops: bool = False) -> List[Any]:
    """Returns a list of tensors from a tensor, an iterable of tensors, or a graph (all of its tensors).

    Args:
      check_graph: whether all must belong to one graph.
      allow_graph: whether `ts` may be a graph.
      ignore_ops: whether ops are left out.

    Raises:
      TypeError: an element is not a tensor.
      ValueError: the tensors belong to different graphs.
    """
    return _make_list(ts, tf.Tensor, get_tensors, check_graph, allow_graph, ignore_ops)


def get_generating_ops(ts: Any) -> List[Any]:
    """Returns the ops that produce the tensors `ts`."""
    return [tensor.op for tensor in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts: Any) -> List[Any]:
    """Returns the ops that consume the tensors `ts`, each once."""
    consumers: List[Any] = []
    for tensor in make_list_of_t(ts, allow_graph=False):
        concatenate_unique(consumers, tensor.consumers())
    return consumers


class ControlOutputs:
    """The control outputs of a graph's ops: the ops that have them as control inputs.

    Raises:
      TypeError: `graph` is not a graph.
    """

    def __init__(self, graph: Any) -> None:
        if not graph_editing.is_graph(graph):
            raise TypeError("Expected a tf.Graph, got: {}".format(type(graph)))
        self._graph = graph
        self._version: Optional[int] = None
        self._control_outputs: Dict[Any, List[Any]] = {}
        self.update()

    def update(self) -> "ControlOutputs":
        """Updates the control outputs if the graph has changed, and returns this object."""
        if self._version != self._graph.version:
            self._control_outputs.clear()
            for op in self._graph.get_operations():
                for control_input in op.control_inputs:
                    control_outputs = self._control_outputs.setdefault(control_input, [])
                    if op not in control_outputs:
                        control_outputs.append(op)
            self._version = self._graph.version
        return self

    def get_all(self) -> Dict[Any, List[Any]]:
        """Returns op -> list of its control outputs."""
        return self._control_outputs

    def get(self, op: Any) -> Any:
        """Returns the control outputs of `op`."""
        return self._control_outputs.get(op, ())

    @property
    def graph(self) -> Any:
        return self._graph


def scope_finalize(scope: str) -> str:
    """Returns `scope` with a slash at its end, or "" for no scope."""
    return scope + "/" if scope and not scope.endswith("/") else scope


def scope_dirname(scope: str) -> str:
    """Returns `scope` without its last component, with a slash at its end."""
    return scope[: scope.rfind("/") + 1]


def scope_basename(scope: str) -> str:
    """Returns the last component of `scope`."""
    return scope[scope.rfind("/") + 1 :]


def placeholder_name(t: Any = None, scope: Optional[str] = None, prefix: str = _PREFIX) -> str:
    """Returns the name of a placeholder for the tensor `t`, in the scope of `t` or in `scope`.

    Raises:
      TypeError: `t` is not a tensor.
    """
    scope = scope_finalize(scope) if scope is not None else None
    if t is None:
        return (scope or "") + prefix
    if not isinstance(t, tf.Tensor):
        raise TypeError("Expected a tf.Tensor, got: {}".format(type(t)))
    last = scope_basename(t.op.name)
    if not last.startswith(prefix + "__"):
        last = "{}__{}_{}".format(prefix, last, t.value_index)
    return (scope_dirname(t.op.name) if scope is None else scope) + last


def make_placeholder_from_tensor(t: Any, scope: Optional[str] = None, prefix: str = _PREFIX) -> Any:
    """Returns a placeholder with the dtype and shape of `t`; `placeholder_name` returns its name."""
    return tf.placeholder(t.dtype.base_dtype, t.shape, placeholder_name(t, scope, prefix))


def make_placeholder_from_dtype_and_shape(
    dtype: Any, shape: Any = None, scope: Optional[str] = None, prefix: str = _PREFIX
) -> Any:
    """Returns a placeholder with this dtype and shape; `placeholder_name` returns its name."""
    return tf.placeholder(dtype, shape, placeholder_name(None, scope, prefix))


def get_predefined_collection_names() -> List[str]:
    """Returns the names of TensorFlow's standard collections."""
    return [getattr(tf.GraphKeys, key) for key in dir(tf.GraphKeys) if not key.startswith("__")]


def find_corresponding_elem(target: Any, dst_graph: Any, dst_scope: str = "", src_scope: str = "") -> Any:
    """Returns the op or tensor of `dst_graph` with the name of `target`, with `dst_scope` in place of `src_scope`.

    Raises:
      ValueError: `target` is not in `src_scope`.
      TypeError: `target` is neither an op nor a tensor.
      KeyError: `dst_graph` has no such op or tensor.
    """
    scope = scope_finalize(src_scope)
    if not target.name.startswith(scope):
        raise ValueError("{} does not start with {}".format(target.name, scope))
    name = scope_finalize(dst_scope) + target.name[len(scope) :]
    if isinstance(target, tf.Tensor):
        return dst_graph.get_tensor_by_name(name)
    if isinstance(target, tf.Operation):
        return dst_graph.get_operation_by_name(name)
    raise TypeError("Expected tf.Tensor or tf.Operation, got: {}".format(type(target)))


def find_corresponding(targets: Any, dst_graph: Any, dst_scope: str = "", src_scope: str = "") -> Any:
    """Returns `targets`, nested lists or dicts, with `find_corresponding_elem` applied to each leaf."""
    return transform_tree(targets, lambda each: find_corresponding_elem(each, dst_graph, dst_scope, src_scope))
