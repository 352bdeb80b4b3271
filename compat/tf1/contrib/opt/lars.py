"""LARSOptimizer of tf.contrib.opt."""
from typing import Any, Optional, Sequence, Tuple

from legacy_towers.compat.tf1.contrib.private import optimizers
from legacy_towers.compat.versions import tf


class LARSOptimizer(optimizers.RefAndResourceOptimizer):
    """Layer-wise Adaptive Rate Scaling: momentum with a learning rate for each variable.

        learning_rate * eeta * |w| / (|g| + weight_decay * |w| + epsilon)

    You, Gitman and Ginsburg, "Large Batch Training of Convolutional Networks" (2017),
    https://arxiv.org/abs/1708.03888.

    Args:
      eeta: the LARS coefficient.
      skip_list: variables whose names contain one of these strings get `learning_rate` and no weight decay.

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
        """Returns (learning rate of `var`, `grad` plus the weight decay)."""
        rate = self._learning_rate() if callable(self._learning_rate) else self._learning_rate
        if any(part in var.name for part in self._skip_list or ()):
            return rate, grad
        weights, gradients = tf.norm(var, ord=2), tf.norm(grad, ord=2)
        trust_ratio = self._eeta * weights / (gradients + self._weight_decay * weights + self._epsilon)
        are_positive = tf.logical_and(tf.greater(weights, 0), tf.greater(gradients, 0))
        return rate * tf.where(are_positive, trust_ratio, tf.ones_like(trust_ratio)), grad + self._weight_decay * var

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
