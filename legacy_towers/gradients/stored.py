"""What reductions remember from one run to the next: variables, and gradients in variables, sparse ones sparse."""
from typing import Any, List, NamedTuple, Optional, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.gradients.base import GradientRow, TowerGradients
from legacy_towers.gradients.each import device_of

LOCAL = [tf.GraphKeys.LOCAL_VARIABLES]


def made_at(
    scope: str,
    name: str,
    shape: Sequence[Any],
    dtype: Any,
    value: Any,
    collections: List[str],
    like: Optional[Any] = None,
) -> Any:
    """Returns a new resource variable `<scope>/<name>` that is not trained; a second of that name gets a number.

    Not by `tf.get_variable`: what the caller's variable scope asks for (another name, a partitioner, other collections)
    is meant for the model.

    Args:
      scope: its name in front, without a closing slash.
      name: its name behind that.
      shape: its shape; with None in front it begins with 0 rows and may hold any number of them.
      dtype: its dtype.
      value: what all of it begins with.
      collections: which ones it goes to.
      like: a variable of that shape and dtype; it begins with what this holds by then, restored say.
    """

    def start() -> Any:
        return tf.fill([0 if size is None else size for size in shape], tf.constant(value, dtype))

    first: Any = start
    if like is not None:
        # Made here: TensorFlow would bind what a function makes to the new variable's device.
        with tf.name_scope(scope + "/"), tf.device(like.device):
            first = tf.cond(tf.is_variable_initialized(like), like.read_value, start)
    with tf.name_scope(scope + "/"):
        return tf.Variable(
            first,
            trainable=False,
            collections=collections,
            validate_shape=None not in shape,
            name=name,
            dtype=dtype,
            use_resource=True,
            shape=tf.TensorShape(shape),
        )


class Stored(NamedTuple):
    """A gradient in local variables, on the device of the gradient.

    Attributes:
      values: the variable of a dense gradient; of a sparse one that of its rows, as many as there are.
      indices: the variable of a sparse gradient's indices, else None.
      before: the gradient as it was when the run began.
    """

    values: Any
    indices: Optional[Any]
    before: Any

    def write(self, gradient: Any) -> List[Any]:
        """Returns the operations that keep another gradient; what was there before is read before that."""
        if self.indices is None:
            with tf.control_dependencies([self.before]):
                return [tf.assign(self.values, gradient).op]
        with tf.control_dependencies([self.before.values, self.before.indices]):
            return [
                tf.assign(self.values, gradient.values, validate_shape=False).op,
                tf.assign(self.indices, gradient.indices, validate_shape=False).op,
            ]


def stored(gradients: TowerGradients, row: GradientRow, position: int, name: str) -> Stored:
    """Makes the local variables for one gradient, dense zeros or no rows at first.

    They are named "<scope>/<name>/<variable>", and by the tower behind that where each tower has one.

    Args:
      gradients: the gradients.
      row: one variable's.
      position: which of the row's.
      name: what is stored, for the names.

    Raises:
      ArgumentError: the shape of the gradient is not known before the graph runs.
    """
    gradient = row.gradients[position]
    path = "{}/{}".format(name, row.name)
    if len(row.gradients) > 1:
        path += "/tower_{}".format(gradients.site.towers[position])
    scope = gradients.site.scope
    whole = tf.TensorShape(None) if row.variable is None else row.variable.shape
    if not isinstance(gradient, tf.IndexedSlices):
        shape = _known(gradient.shape.merge_with(whole), row.name)
        with tf.device(device_of(gradients, row, position)):
            values = made_at(scope, path, shape, gradient.dtype, 0, LOCAL)
            return Stored(values, None, values.read_value())
    shape = _known(gradient.values.shape[1:].merge_with(whole[1:]), row.name)
    with tf.device(device_of(gradients, row, position)):
        values = made_at(scope, path + "/values", [None] + shape, gradient.dtype, 0, LOCAL)
        indices = made_at(scope, path + "/indices", [None], gradient.indices.dtype, 0, LOCAL)
        before = tf.IndexedSlices(values.read_value(), indices.read_value(), gradient.dense_shape)
    return Stored(values, indices, before)


def _known(shape: Any, name: str) -> List[int]:
    if not shape.is_fully_defined():
        raise ArgumentError(
            "the gradient of {!r} has the shape {}: what is kept from one step to the next has a shape that is known "
            "before the graph runs. Set it on the variable".format(name, shape)
        )
    return [int(size) for size in shape.as_list()]
