"""Metrics of tf.contrib.eager: objects that are called with each batch and return a result."""
from typing import Any, List, Optional, Tuple

from legacy_towers.compat.tf1.contrib import summary
from legacy_towers.compat.versions import tf


class Metric:
    """Accumulates values over batches: `build` creates variables, `call` adds a batch, `result` returns the value.

    Args:
      name: the name of the metric, by default that of its class.
      use_global_variables: has no effect, because eager execution has no collections.

    Raises:
      RuntimeError: eager execution is not enabled; use tf.metrics in a graph.
    """

    def __init__(self, name: Optional[str] = None, use_global_variables: bool = False) -> None:
        self._name = name or type(self).__name__
        if not tf.executing_eagerly():
            raise RuntimeError("tf.contrib.eager.metrics need eager execution: use tf.metrics in a graph")
        # Each variable with its initial value.
        self._vars: List[Tuple[Any, Any]] = []
        self._built = False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self._built:
            self.build(*args, **kwargs)
            self._built = True
        return self.call(*args, **kwargs)

    @property
    def name(self) -> str:
        return self._name

    @property
    def variables(self) -> List[Any]:
        return [variable for variable, _ in self._vars]

    def init_variables(self) -> None:
        """Resets all variables to their initial values."""
        for variable, initial in self._vars:
            variable.assign(initial)

    def add_variable(self, name: str, shape: Any = None, dtype: Any = None, initializer: Any = None) -> Any:
        """Creates a variable of the metric; `build` calls it."""
        initializer = tf.zeros_initializer() if initializer is None else initializer
        initial = (initializer() if isinstance(initializer, type) else initializer)(shape, dtype=dtype)
        variable = tf.Variable(initial, name="{}/{}".format(self._name, name), trainable=False, use_resource=True)
        self._vars.append((variable, initial))
        return variable

    def build(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("Metrics must define a build() member function")

    def call(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("Metrics must define a call() member function")

    def result(self) -> Any:
        raise NotImplementedError("Metrics must define a result() member function")


class Mean(Metric):
    """Computes the (weighted) mean of values."""

    def __init__(
        self, name: Optional[str] = None, dtype: Any = tf.float64, use_global_variables: bool = False
    ) -> None:
        super().__init__(name, use_global_variables)
        self.dtype = dtype

    def build(self, *args: Any, **kwargs: Any) -> None:
        self.numer = self.add_variable("numer", (), self.dtype)
        self.denom = self.add_variable("denom", (), self.dtype)

    def call(self, values: Any, weights: Any = None) -> Any:
        """Adds a batch of values."""
        self._add(values, weights)
        return values if weights is None else (values, weights)

    def _add(self, values: Any, weights: Any) -> None:
        values = tf.cast(values, self.dtype)
        if weights is None:
            self.denom.assign_add(tf.cast(tf.size(values), self.dtype))
            self.numer.assign_add(tf.reduce_sum(values))
        else:
            weights = tf.cast(weights, self.dtype)
            self.denom.assign_add(tf.reduce_sum(weights))
            self.numer.assign_add(tf.reduce_sum(values * weights))

    def result(self, write_summary: bool = True) -> Any:
        """Returns the mean over all batches; with `write_summary`, also writes it with the default summary writer."""
        mean = self.numer / self.denom
        if write_summary:
            summary.scalar(self.name, mean)
        return mean


class Accuracy(Mean):
    """Computes the fraction of predictions that equal the labels."""

    def __init__(self, name: Optional[str] = None, dtype: Any = tf.float64) -> None:
        super().__init__(name, dtype)

    def call(self, labels: Any, predictions: Any, weights: Any = None) -> Any:  # type: ignore[override]
        """Adds a batch of labels and predictions."""
        self._add(self._matches(tf.convert_to_tensor(labels), tf.convert_to_tensor(predictions)), weights)
        return (labels, predictions) if weights is None else (labels, predictions, weights)

    def _matches(self, labels: Any, predictions: Any) -> Any:
        if labels.shape.as_list() != predictions.shape.as_list():
            raise ValueError(
                "Shapes of labels and predictions are unequal: {} and {}".format(labels.shape, predictions.shape)
            )
        return tf.equal(labels, predictions)


class CategoricalAccuracy(Accuracy):
    """Computes the accuracy for one-hot labels and predictions [batch, classes] (logits or probabilities)."""

    def _matches(self, labels: Any, predictions: Any) -> Any:
        return super()._matches(tf.argmax(labels, axis=-1), tf.argmax(predictions, axis=-1))


class SparseAccuracy(Accuracy):
    """Computes the accuracy for labels [batch] (classes) and predictions [batch, classes]."""

    def _matches(self, labels: Any, predictions: Any) -> Any:
        return super()._matches(tf.cast(labels, tf.int64), tf.argmax(predictions, axis=-1))


class BinaryAccuracy(Accuracy):
    """Computes the accuracy for labels 0 and 1; predictions above `threshold` are 1."""

    def __init__(self, threshold: float, name: Optional[str] = None, dtype: Any = tf.float64) -> None:
        super().__init__(name, dtype)
        self.threshold = threshold

    def _matches(self, labels: Any, predictions: Any) -> Any:
        return super()._matches(tf.cast(labels, tf.bool), predictions > self.threshold)
