"""Layer-wise adaptive rates (You, Gitman and Ginsburg, "Large Batch Training of Convolutional Networks", 2017)."""
from typing import Any, Optional, Sequence, Tuple

from legacy_towers.compat import optimizers, tf


class LARSOptimizer(optimizers.EitherVariable):
    """Momentum whose rate for each variable is eeta * |w| / (|g| + weight_decay * |w| + epsilon) of the rate.

    Args:
      skip_list: variables whose names contain one of these have the plain rate, and no weight decay.

    Raises:
      ValueError: `momentum` or `weight_decay` is negative.
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: float = 0.9,
        weight_decay: float = 0.0001,
        eeta: float = 0.001,
        epsilon: float = 0.0,
        name: str = "LARSOptimizer",
        skip_list: Optional[Sequence[str]] = None,
        use_nesterov: bool = False,
    ) -> None:
        if momentum < 0.0:
            raise ValueError("momentum should be positive: {}".format(momentum))
        if weight_decay < 0.0:
            raise ValueError("weight_decay should be positive: {}".format(weight_decay))
        super().__init__(use_locking=False, name=name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._weight_decay = weight_decay
        self._eeta = eeta
        self._epsilon = epsilon
        self._skip_list = skip_list
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list: Any) -> None:
        for variable in var_list:
            self._zeros_slot(variable, "momentum", self._name)

    def compute_lr(self, grad: Any, var: Any) -> Tuple[Any, Any]:
        """Returns the rate of `var` and its gradient with the weight decay in it."""
        rate = self._learning_rate() if callable(self._learning_rate) else self._learning_rate
        if any(part in var.name for part in self._skip_list or ()):
            return rate, grad
        weights, gradients = tf.norm(var, ord=2), tf.norm(grad, ord=2)
        trust = self._eeta * weights / (gradients + self._weight_decay * weights + self._epsilon)
        both = tf.logical_and(tf.greater(weights, 0), tf.greater(gradients, 0))
        return rate * tf.where(both, trust, tf.ones_like(trust)), grad + self._weight_decay * var

    def dense_update(self, gradient: Any, variable: Any) -> Any:
        rate, gradient = self.compute_lr(gradient, variable)
        return optimizers.fused(
            "ApplyMomentum",
            {"var": variable, "accum": self.get_slot(variable, "momentum")},
            lr=tf.ones([], variable.dtype.base_dtype),
            grad=gradient * rate,
            momentum=tf.cast(self._momentum, variable.dtype.base_dtype),
            use_locking=False,
            use_nesterov=self._use_nesterov,
        )

    def sparse_update(self, gradient: Any, variable: Any, rows: Any) -> Any:
        rate = self._learning_rate() if callable(self._learning_rate) else self._learning_rate
        return optimizers.fused(
            "SparseApplyMomentum",
            {"var": variable, "accum": self.get_slot(variable, "momentum")},
            lr=tf.cast(rate, gradient.dtype),
            grad=gradient,
            indices=rows,
            momentum=tf.cast(self._momentum, gradient.dtype),
            use_locking=self._use_locking,
            use_nesterov=self._use_nesterov,
        )
