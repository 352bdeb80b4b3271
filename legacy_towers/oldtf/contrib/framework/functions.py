"""Small functions of tf.contrib.framework around graphs and Python."""
from typing import Any, Callable, Dict, List, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.compat.framework import nest

__all__ = ["get_placeholders", "py_func", "zero_initializer"]


def get_placeholders(graph: Any) -> List[Any]:
    """Returns the tensors of all placeholders in `graph`.

    Raises:
      TypeError: it is no graph.
    """
    if not isinstance(graph, tf.Graph):
        raise TypeError("Input graph needs to be a Graph: {}".format(graph))
    return [operation.outputs[0] for operation in graph.get_operations() if operation.type == "Placeholder"]


def py_func(
    func: Callable[..., Any],
    args: Sequence[Any] = (),
    kwargs: Optional[Dict[str, Any]] = None,
    output_types: Any = None,
    output_shapes: Any = None,
    stateful: bool = True,
    name: Optional[str] = None,
) -> Any:
    """Returns what `func` makes of arrays, as tensors; arguments and results may be nested.

    Args:
      func: takes args and kwargs as numpy arrays.
      args: a list of tensors, maybe nested.
      kwargs: name -> tensor.
      output_types: the dtypes of what it returns, nested as that is; or a function of args and kwargs that tells.
      output_shapes: its shapes, likewise; None: unknown.
      stateful: whether the same arguments may give other results.
      name: of the operation.

    Raises:
      TypeError: args is no list, or kwargs is no dict.
    """
    kwargs = {} if kwargs is None else kwargs
    if not isinstance(args, (list, tuple)):
        raise TypeError("args must be list and not {}. args: {}".format(type(args), args))
    if not isinstance(kwargs, dict):
        raise TypeError("kwargs must be dict and not {}. args: {}".format(type(kwargs), kwargs))
    types = output_types(*args, **kwargs) if callable(output_types) else output_types
    shapes = output_shapes(*args, **kwargs) if callable(output_shapes) else output_shapes
    whole = (args, kwargs)

    def flat_function(*values: Any) -> Any:
        given_args, given_kwargs = nest.pack_sequence_as(whole, values)
        result = func(*given_args, **given_kwargs)
        nest.assert_shallow_structure(types, result)
        return nest.flatten(result)

    flat = tf.py_func(flat_function, nest.flatten(whole), nest.flatten(types), stateful=stateful, name=name)
    if shapes is not None:
        shapes = nest.map_structure_up_to(types, tf.TensorShape, shapes)
        for tensor, shape in zip(flat, nest.flatten_up_to(types, shapes)):
            tensor.set_shape(shape)
    return nest.pack_sequence_as(types, flat)


def zero_initializer(ref: Any, use_locking: bool = True, name: str = "zero_initializer") -> Any:
    """Returns what makes the variable `ref` begin with zeros; running it on one that has begun is an error."""
    with tf.name_scope(name):
        begun = tf.is_variable_initialized(ref)
        check = tf.Assert(tf.logical_not(begun), ["input is already initialized", ref.name])
        with tf.control_dependencies([check]):
            return tf.assign(ref, tf.zeros(ref.shape, ref.dtype.base_dtype), use_locking=use_locking)
