"""Where `tf.get_variable` looks variables up, and a place to step in between."""
import contextlib
import functools
import inspect
import re
from typing import Any, Callable, Iterator, List, Optional, Set

from legacy_towers.compat import tf

_KEY = ("__variable_store",)


@contextlib.contextmanager
def innermost_getter(graph: Any, getter: Callable[..., Any]) -> Iterator[None]:
    """Makes every `tf.get_variable` inside go through `getter(true_getter, name, **arguments)`.

    Like a custom_getter of a variable scope around everything, but for two things: a variable scope that was made
    elsewhere and is entered by its object brings its own custom getter, and so would leave that one out; and it is
    asked last, after the getters of the caller's own scopes.

    Args:
      graph: the graph whose variables are meant; it has a variable scope entered already.
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
    """Returns whether `tf.get_variable` would find a variable of that name, whole or partitioned."""
    # Private: nothing public tells without making one. Tried on 1.15 and 2.21.
    return any(name in store._vars or name in store._partitioned_vars for store in graph.get_collection(_KEY))


def known_names(graph: Any) -> Set[str]:
    """Returns all names under which `tf.get_variable` finds variables of `graph`."""
    return {name for store in graph.get_collection(_KEY) for names in (store._vars, store._partitioned_vars)
            for name in names}


def existing_name(error: ValueError) -> Optional[str]:
    """Returns the name of which an error says that `tf.get_variable` has made a variable before; None if of none."""
    # Nothing but its words tells. Tried on 1.15 and 2.21.
    found = re.match(r"(?:Variable|Partitioned variable with name) (\S+) already exists", str(error))
    return found.group(1) if found else None


def is_of_template(error: ValueError) -> bool:
    """Returns whether an error says that a `tf.make_template` was called again and made another variable."""
    # Nothing but its words tells. Tried on 1.15 and 2.21.
    return "created when calling a template after the first time" in str(error)


def regularization_loss(value: Any) -> Any:
    """Returns the tensor of a loss that a variable's regularizer gave, for the collection of such losses.

    TensorFlow 2.x collects there an object that makes the loss anew at each use. A graph's own functions take it for
    none of its tensors: those for control dependencies, groups and feeds, and moving averages. TensorFlow 1.15
    collects a tensor, made outside the branches and loops that the variable was made in; so does this.

    Args:
      value: what is collected; anything but such an object is returned as it is.
    """
    # Private: the class has no public name. Tried on 2.13 and 2.21; TensorFlow 1.15 lacks it.
    if type(value).__name__ != "_LazyEvalTensor":
        return value
    if value._master_tensor.op._get_control_flow_context() is None:
        return value._master_tensor
    with tf.init_scope():
        return value._thunk()


class _Store:
    """TensorFlow's store of variables, with one more getter in front."""

    def __init__(self, store: Any, getter: Callable[..., Any]) -> None:
        self._store = store
        self._getter = getter

    def get_variable(self, name: str, custom_getter: Any = None, **arguments: Any) -> Any:
        outer = self._getter if custom_getter is None else functools.partial(_one_in_other, custom_getter, self._getter)

        # A plain function that takes anything: TensorFlow looks at a getter's arguments before it calls it.
        def get(getter: Any, *positional: Any, **named: Any) -> Any:
            return outer(getter, *positional, **named)

        return self._store.get_variable(name, custom_getter=get, **arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def _one_in_other(outer: Any, inner: Any, getter: Any, *positional: Any, **named: Any) -> Any:
    if "constraint" in named and not _takes(outer, "constraint"):
        # As TensorFlow does for getters that were written before this argument was.
        del named["constraint"]
    return outer(functools.partial(inner, getter), *positional, **named)


def _takes(function: Any, name: str) -> bool:
    parameters = inspect.signature(function).parameters
    return name in parameters or any(each.kind is each.VAR_KEYWORD for each in parameters.values())


def parts_of(variable: Any) -> List[Any]:
    """Returns the variables that what `tf.get_variable` returned consists of: itself, or its parts in order."""
    # Private: iterating over a partitioned variable is public, but a whole one can't be told from it. Tried on 1.15
    # and 2.21.
    listed = getattr(variable, "_get_variable_list", None)
    return [variable] if listed is None else list(listed())
