"""The store in which `tf.get_variable` looks variables up, and a variable getter that applies to all of it."""
import contextlib
import functools
import inspect
import re
from typing import Any, Callable, Iterator, List, Optional, Set

from legacy_towers.compat.versions import tf

_KEY = ("__variable_store",)


@contextlib.contextmanager
def innermost_getter(graph: Any, getter: Callable[..., Any]) -> Iterator[None]:
    """Makes every `tf.get_variable` in the context call `getter(true_getter, name, **arguments)`.

    It differs from a custom_getter of an outer variable scope in two ways: a scope that is entered by its object, and
    so replaces the custom getter of the outer scope, does not replace this one; and this one is called last, after the
    custom getters of the caller's scopes.

    Args:
      graph: the graph of the variables; it has a variable scope entered already.
      getter: must return what the true getter returns.
    """
    # Private: the collection that holds TensorFlow's dictionary of variables. Tried on 1.15 and 2.21.
    collection = graph.get_collection_ref(_KEY)
    (store,) = collection
    collection[:] = [_Store(store, getter)]
    try:
        yield
    finally:
        collection[:] = [store]


def is_known(graph: Any, name: str) -> bool:
    """Returns whether `tf.get_variable` would find a variable of that name, partitioned or not."""
    # Private: public functions would make the variable. Tried on 1.15 and 2.21.
    return any(name in store._vars or name in store._partitioned_vars for store in graph.get_collection(_KEY))


def known_names(graph: Any) -> Set[str]:
    """Returns all names under which `tf.get_variable` finds variables of `graph`."""
    return {name for store in graph.get_collection(_KEY) for names in (store._vars, store._partitioned_vars)
            for name in names}


def existing_name(error: ValueError) -> Optional[str]:
    """Returns the name in an error of `tf.get_variable` that the variable already exists; None for other errors."""
    # Only the text of the message distinguishes it. Tried on 1.15 and 2.21.
    found = re.match(r"(?:Variable|Partitioned variable with name) (\S+) already exists", str(error))
    return found.group(1) if found else None


def is_template_error(error: ValueError) -> bool:
    """Returns whether the error is that of a `tf.make_template` function that made a variable at a later call."""
    # Only the text of the message distinguishes it. Tried on 1.15 and 2.21.
    return "created when calling a template after the first time" in str(error)


def regularization_loss(value: Any) -> Any:
    """Returns the tensor of a loss that a variable's regularizer added to tf.GraphKeys.REGULARIZATION_LOSSES.

    TensorFlow 2.x adds an object that makes the loss again at each use. tf.control_dependencies, tf.group, feeds and
    moving averages don't accept it as a tensor. TensorFlow 1.15 adds a tensor, made outside the branches and loops in
    which the variable was made; so does this function.

    Args:
      value: an element of the collection; anything but such an object is returned as it is.
    """
    # Private: the class has no public name. Tried on 2.13 and 2.21; TensorFlow 1.15 lacks it.
    if type(value).__name__ != "_LazyEvalTensor":
        return value
    if value._master_tensor.op._get_control_flow_context() is None:
        return value._master_tensor
    with tf.init_scope():
        return value._thunk()


class _Store:
    """TensorFlow's store of variables, with a getter called before it."""

    def __init__(self, store: Any, getter: Callable[..., Any]) -> None:
        self._store = store
        self._getter = getter

    def get_variable(self, name: str, custom_getter: Any = None, **arguments: Any) -> Any:
        outer = self._getter if custom_getter is None else functools.partial(_nested, custom_getter, self._getter)

        # A plain function with any arguments: TensorFlow inspects a getter's signature before it calls it.
        def get(getter: Any, *positional: Any, **named: Any) -> Any:
            return outer(getter, *positional, **named)

        return self._store.get_variable(name, custom_getter=get, **arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def _nested(outer: Any, inner: Any, getter: Any, *positional: Any, **named: Any) -> Any:
    if "constraint" in named and not _takes(outer, "constraint"):
        # As TensorFlow does for getters that are older than this argument.
        del named["constraint"]
    return outer(functools.partial(inner, getter), *positional, **named)


def _takes(function: Any, name: str) -> bool:
    parameters = inspect.signature(function).parameters
    return name in parameters or any(each.kind is each.VAR_KEYWORD for each in parameters.values())


def parts_of(variable: Any) -> List[Any]:
    """Returns the parts, in order, of a partitioned variable of `tf.get_variable`, and [variable] for any other."""
    # Private: iterating over a partitioned variable is public, but nothing public says that a variable is one. Tried on
    # 1.15 and 2.21.
    listed = getattr(variable, "_get_variable_list", None)
    return [variable] if listed is None else list(listed())
