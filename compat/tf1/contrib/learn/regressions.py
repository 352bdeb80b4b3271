"""tf.contrib.learn.models: linear and logistic regression layers with their losses."""
from typing import Any, Callable, Optional, Sequence, Tuple

from legacy_towers.compat.versions import tf


def linear_regression(x: Any, y: Any, init_mean: Optional[float] = None, init_stddev: float = 1.0) -> Tuple[Any, Any]:
    """Returns (predictions, mean squared error) of a linear layer.

    Args:
      x: features [batch, features].
      y: labels [batch] or [batch, outputs]; predictions have the same shape.
      init_mean: mean of the normal initializer of the variables; None: the scope's initializer.
      init_stddev: its standard deviation.
    """
    is_flat = len(y.shape) == 1
    with tf.variable_scope("linear_regression"):
        weights, bias = _variables(x, y, 1 if is_flat else y.shape[1], init_mean, init_stddev)
        with tf.name_scope("mean_squared_error_regressor", values=[x, y]):
            predictions = tf.nn.xw_plus_b(x, weights, bias)
            predictions = tf.squeeze(predictions, axis=[1]) if is_flat else predictions
            return predictions, tf.losses.mean_squared_error(y, predictions)


def logistic_regression(
    x: Any,
    y: Any,
    class_weight: Any = None,
    init_mean: Optional[float] = None,
    init_stddev: float = 1.0,
) -> Tuple[Any, Any]:
    """Returns (probabilities [batch, classes], softmax cross entropy) of a linear layer.

    Args:
      x: features [batch, features].
      y: one-hot labels [batch, classes].
      class_weight: [classes], multiplied with the logits; by default the tensor "class_weight:0" if the graph has it.
      init_mean: mean of the normal initializer of the variables; None: the scope's initializer.
      init_stddev: its standard deviation.
    """
    with tf.variable_scope("logistic_regression"):
        weights, bias = _variables(x, y, y.shape[-1], init_mean, init_stddev)
        if class_weight is None:
            class_weight = _find_tensor("class_weight:0")
        with tf.name_scope("softmax_classifier", values=[x, y]):
            logits = tf.nn.xw_plus_b(x, weights, bias)
            logits = logits if class_weight is None else tf.multiply(logits, class_weight)
            return tf.nn.softmax(logits), tf.losses.softmax_cross_entropy(y, logits)


def linear_regression_zero_init(x: Any, y: Any) -> Tuple[Any, Any]:
    """Returns `linear_regression` with variables initialized to zero."""
    return linear_regression(x, y, init_mean=0.0, init_stddev=0.0)


def logistic_regression_zero_init(x: Any, y: Any) -> Tuple[Any, Any]:
    """Returns `logistic_regression` with variables initialized to zero."""
    return logistic_regression(x, y, init_mean=0.0, init_stddev=0.0)


def _variables(x: Any, y: Any, outputs: Any, mean: Optional[float], stddev: float) -> Sequence[Any]:
    scope, dtype = tf.get_variable_scope().name, x.dtype.base_dtype
    initializer: Optional[Callable[..., Any]] = None
    if mean is not None:
        initializer = tf.random_normal_initializer(mean, stddev, dtype=dtype)
    tf.summary.histogram(scope + ".x", x)
    tf.summary.histogram(scope + ".y", y)
    shapes = (("weights", [x.shape[1], outputs]), ("bias", [outputs]))
    variables = [tf.get_variable(name, shape, dtype=dtype, initializer=initializer) for name, shape in shapes]
    for (name, _), variable in zip(shapes, variables):
        tf.summary.histogram("{}.{}".format(scope, name), variable)
    return variables


def _find_tensor(name: str) -> Any:
    try:
        return tf.get_default_graph().get_tensor_by_name(name)
    except KeyError:
        return None
