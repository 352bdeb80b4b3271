"""The variables of reductions: scalars, and gradients kept from one step to the next, sparse ones as sparse ones."""
from typing import Any, List, NamedTuple, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import GradientRow, TowerGradients
from legacy_towers.gradients.transforms.each import device_of
from legacy_towers.tensor_types import DType, Gradient, Variable

LOCAL = [tf.GraphKeys.LOCAL_VARIABLES]


def new_variable(
    scope: str,
    name: str,
    shape: Sequence[Any],
    dtype: DType,
    value: Any,
    collections: List[str],
    like: Optional[Any] = None,
) -> Variable:
    """Returns a new resource variable `<scope>/<name>` with trainable=False; a second of that name gets a number.

    It is not created by `tf.get_variable`: the settings of the caller's variable scope (name, partitioner, collections)
    are meant for the model.

    Args:
      shape: the shape. If its first entry is None, the variable is created with 0 rows and holds any number of rows.
      value: the number that all elements are initialized with.
      like: a variable of the same shape and dtype: where that has a value already, for example a restored one, the new
        variable is initialized with it.
    """

    def initial_value() -> Any:
        return tf.fill([0 if size is None else size for size in shape], tf.constant(value, dtype))

    value_or_function: Any = initial_value
    if like is not None:
        # Not inside a function: TensorFlow would place its ops on the new variable's device.
        with tf.name_scope(scope + "/"), tf.device(like.device):
            value_or_function = tf.cond(tf.is_variable_initialized(like), like.read_value, initial_value)
    with tf.name_scope(scope + "/"):
        return tf.Variable(
            value_or_function,
            trainable=False,
            collections=collections,
            validate_shape=None not in shape,
            name=name,
            dtype=dtype,
            use_resource=True,
            shape=tf.TensorShape(shape),
        )


class StoredGradient(NamedTuple):
    """A gradient kept in local variables, on the device of the gradient.

    Attributes:
      values: the variable with a dense gradient, or with the rows of a sparse one, as many as there are.
      indices: the variable with the indices of a sparse gradient; None for a dense one.
      before: the gradient of the step before, read before anything is written.
    """

    values: Variable
    indices: Optional[Any]
    before: Any

    def write(self, gradient: Gradient) -> List[Any]:
        """Returns the operations that store another gradient, after `before` has been read."""
        if self.indices is None:
            with tf.control_dependencies([self.before]):
                return [tf.assign(self.values, gradient).op]
        with tf.control_dependencies([self.before.values, self.before.indices]):
            return [
                tf.assign(self.values, gradient.values, validate_shape=False).op,
                tf.assign(self.indices, gradient.indices, validate_shape=False).op,
            ]


def store_gradient(gradients: TowerGradients, row: GradientRow, position: int, name: str) -> StoredGradient:
    """Creates the local variables for one gradient, which hold zeros (no rows, if it is sparse) at first.

    Their names are "<scope>/<name>/<variable>", followed by "/tower_<k>" where each tower has its own gradient.

    Args:
      name: the part of the name that says what is stored, such as "accumulated".

    Raises:
      ArgumentError: the shape of the gradient is not known before the graph runs.
    """
    gradient = row.gradients[position]
    path = "{}/{}".format(name, row.name)
    if len(row.gradients) > 1:
        path += "/tower_{}".format(gradients.context.towers[position])
    scope = gradients.context.scope
    whole = tf.TensorShape(None) if row.variable is None else row.variable.shape
    if not isinstance(gradient, tf.IndexedSlices):
        shape = _static_shape(gradient.shape.merge_with(whole), row.name)
        with tf.device(device_of(gradients, row, position)):
            values = new_variable(scope, path, shape, gradient.dtype, 0, LOCAL)
            return StoredGradient(values, None, values.read_value())
    shape = _static_shape(gradient.values.shape[1:].merge_with(whole[1:]), row.name)
    with tf.device(device_of(gradients, row, position)):
        values = new_variable(scope, path + "/values", [None] + shape, gradient.dtype, 0, LOCAL)
        indices = new_variable(scope, path + "/indices", [None], gradient.indices.dtype, 0, LOCAL)
        before = tf.IndexedSlices(values.read_value(), indices.read_value(), gradient.dense_shape)
    return StoredGradient(values, indices, before)


def _static_shape(shape: Any, name: str) -> List[int]:
    if not shape.is_fully_defined():
        raise ArgumentError(
            "the gradient of {!r} has the shape {}, which is not known before the graph runs, so that it can't be kept "
            "until the next step: set the static shape of the variable".format(name, shape)
        )
    return [int(size) for size in shape.as_list()]
