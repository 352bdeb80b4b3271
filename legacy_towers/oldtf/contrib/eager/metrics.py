"""Metrics of tf.contrib.eager: objects that are called with a batch, and tell a result."""
from typing import Any, List, Optional, Tuple

from legacy_towers.compat import tf


class Metric:
    """What counts over batches: `build` makes variables, `call` adds a batch, `result` tells.

    Only under eager execution, where `use_global_variables` says nothing: there are no collections.

    Raises:
      RuntimeError: in a graph, where tf.metrics count.
    """

    def __init__(self, name: Optional[str] = None, use_global_variables: bool = False) -> None:
        self._name = name or type(self).__name__
        if not tf.executing_eagerly():
            raise RuntimeError("tf.contrib.eager.metrics count under eager execution only: take tf.metrics in a graph")
        # With what each begins.
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
        """Begins again."""
        for variable, begin in self._vars:
            variable.assign(begin)

    def add_variable(self, name: str, shape: Any = None, dtype: Any = None, initializer: Any = None) -> Any:
        """Returns a variable that the metric counts in; called by `build`."""
        made = tf.zeros_initializer() if initializer is None else initializer
        begin = (made() if isinstance(made, type) else made)(shape, dtype=dtype)
        variable = tf.Variable(begin, name="{}/{}".format(self._name, name), trainable=False, use_resource=True)
        self._vars.append((variable, begin))
        return variable

    def build(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("Metrics must define a build() member function")

    def call(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("Metrics must define a call() member function")

    def result(self) -> Any:
        raise NotImplementedError("Metrics must define a result() member function")


class Mean(Metric):
    """The mean of values, weighted or not."""

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
        """Returns the mean of all batches; with `write_summary` the default writer gets it too, if there is one."""
        mean = self.numer / self.denom
        if write_summary:
            tf.contrib.summary.scalar(self.name, mean)
        return mean


class Accuracy(Mean):
    """The part of predictions that are the labels."""

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
    """The same of one-hot labels and of logits or probabilities."""

    def _matches(self, labels: Any, predictions: Any) -> Any:
        return super()._matches(tf.argmax(labels, axis=-1), tf.argmax(predictions, axis=-1))


class SparseAccuracy(Accuracy):
    """The same of classes and of logits or probabilities."""

    def _matches(self, labels: Any, predictions: Any) -> Any:
        return super()._matches(tf.cast(labels, tf.int64), tf.argmax(predictions, axis=-1))


class BinaryAccuracy(Accuracy):
    """The same of labels of 0 and 1, and of numbers that are 1 above `threshold`."""

    def __init__(self, threshold: float, name: Optional[str] = None, dtype: Any = tf.float64) -> None:
        super().__init__(name, dtype)
        self.threshold = threshold

    def _matches(self, labels: Any, predictions: Any) -> Any:
        return super()._matches(tf.cast(labels, tf.bool), predictions > self.threshold)
