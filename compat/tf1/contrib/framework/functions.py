"""get_placeholders, py_func and zero_initializer of tf.contrib.framework."""
from typing import Any, Callable, Dict, List, Optional, Sequence

from legacy_towers.compat.tf1.contrib.private.framework import nest
from legacy_towers.compat.versions import tf

__all__ = ["get_placeholders", "py_func", "zero_initializer"]


def get_placeholders(graph: Any) -> List[Any]:
    """Returns the tensors of all placeholders in `graph`.

    Raises:
      TypeError: `graph` is not a tf.Graph.
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
    """Calls a Python function as an operation, with nested arguments and results.

    Args:
      func: takes NumPy arrays, in the structure of `args` and `kwargs`.
      args: a list of (nested) tensors.
      kwargs: name -> (nested) tensors.
      output_types: the dtypes of the results, in their structure; or a function of args and kwargs that returns these.
      output_shapes: the shapes of the results, likewise; None if they are unknown.
      stateful: whether calls with the same arguments may return different results.
      name: the name of the operation.

    Returns:
      Tensors, in the structure of `output_types`.

    Raises:
      TypeError: `args` is not a list, or `kwargs` is not a dict.
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
    """Returns the operation that initializes the variable `ref` with zeros; it fails if `ref` is initialized."""
    with tf.name_scope(name):
        is_initialized = tf.is_variable_initialized(ref)
        check = tf.Assert(tf.logical_not(is_initialized), ["input is already initialized", ref.name])
        with tf.control_dependencies([check]):
            return tf.assign(ref, tf.zeros(ref.shape, ref.dtype.base_dtype), use_locking=use_locking)
