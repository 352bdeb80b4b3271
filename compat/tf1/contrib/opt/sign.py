"""AddSign and PowerSign of tf.contrib.opt, and their decay functions.

Bello et al., "Neural Optimizer Search with Reinforcement Learning" (2017), https://arxiv.org/abs/1709.07417.
"""
import math
from typing import Any, Callable, Dict, Optional

from legacy_towers.compat.tf1.contrib.private import optimizers
from legacy_towers.compat.versions import tf

Decay = Optional[Callable[[Any], Any]]


class _SignOptimizer(optimizers.RefAndResourceOptimizer):
    """Base of optimizers that make larger steps where gradient and momentum have the same sign.

    Args:
      sign_decay_fn: global step -> factor of sign(g) * sign(m), such as `get_linear_decay_fn(steps)`; None: 1.
    """

    def __init__(self, learning_rate: Any, beta: Any, sign_decay_fn: Decay, use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        self._rate = learning_rate
        self._beta = beta
        self._sign_decay_fn = sign_decay_fn
        self._sign_decay: Any = None

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Optional[str] = None) -> Any:
        decay = 1.0 if self._sign_decay_fn is None else self._sign_decay_fn(global_step)
        self._sign_decay = tf.convert_to_tensor(decay, name="sign_decay")
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _create_slots(self, var_list: Any) -> None:
        for variable in var_list:
            self._zeros_slot(variable, "m", self._name)

    def _numbers(self, dtype: Any) -> Dict[str, Any]:
        hyperparameters = {"lr": self._rate, "sign_decay": self._sign_decay, "beta": self._beta}
        return {name: tf.cast(number, dtype.base_dtype) for name, number in hyperparameters.items()}

    def _fused(self, operation: str, gradient: Any, variable: Any, **more: Any) -> Any:
        slots = {"var": variable, "m": self.get_slot(variable, "m")}
        numbers = dict(self._numbers(gradient.dtype), **more)
        return optimizers.fused(operation, slots, grad=gradient, use_locking=self._use_locking, **numbers)

    def _multiplier(self, agreement: Any) -> Any:
        """Returns the factor of the gradient; `agreement` is sign_decay * sign(g) * sign(m)."""
        raise NotImplementedError

    def sparse_update(self, gradient: Any, variable: Any, rows: Any) -> Any:
        numbers = self._numbers(variable.dtype)
        m = self.get_slot(variable, "m")
        slices = tf.IndexedSlices(gradient * (1 - numbers["beta"]), rows, tf.shape(variable))
        new_m = tf.assign(m, m * numbers["beta"] + tf.convert_to_tensor(slices), use_locking=self._use_locking)
        agreement = tf.gather(tf.sign(new_m), rows) * tf.sign(gradient)
        change = numbers["lr"] * self._multiplier(numbers["sign_decay"] * agreement) * gradient
        return tf.group(tf.scatter_sub(variable, rows, change), new_m)


class AddSignOptimizer(_SignOptimizer):
    """AddSign: the update is learning_rate * (alpha + sign_decay * sign(g) * sign(m)) * g."""

    def __init__(
        self,
        learning_rate: Any = 0.1,
        alpha: Any = 1.0,
        beta: Any = 0.9,
        sign_decay_fn: Decay = None,
        use_locking: bool = False,
        name: str = "AddSignOptimizer",
    ) -> None:
        super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
        self._alpha = alpha

    def dense_update(self, gradient: Any, variable: Any) -> Any:
        return self._fused("ApplyAddSign", gradient, variable, alpha=tf.cast(self._alpha, gradient.dtype))

    def _multiplier(self, agreement: Any) -> Any:
        return self._alpha + agreement


class PowerSignOptimizer(_SignOptimizer):
    """PowerSign: the update is learning_rate * base ** (sign_decay * sign(g) * sign(m)) * g."""

    def __init__(
        self,
        learning_rate: Any = 0.1,
        base: float = math.e,
        beta: Any = 0.9,
        sign_decay_fn: Decay = None,
        use_locking: bool = False,
        name: str = "PowerSignOptimizer",
    ) -> None:
        super().__init__(learning_rate, beta, sign_decay_fn, use_locking, name)
        self._log_of_base = math.log(base)

    def dense_update(self, gradient: Any, variable: Any) -> Any:
        logbase = tf.cast(self._log_of_base, gradient.dtype)
        return self._fused("ApplyPowerSign", gradient, variable, logbase=logbase)

    def _multiplier(self, agreement: Any) -> Any:
        return tf.exp(self._log_of_base * agreement)


def get_linear_decay_fn(decay_steps: Any) -> Callable[[Any], Any]:
    """Returns a function global step -> max(0, 1 - step / decay_steps)."""

    def decay(global_step: Any) -> Any:
        return tf.maximum(0.0, 1.0 - _fraction(global_step, decay_steps, "linear_decay"))

    return decay


def get_cosine_decay_fn(decay_steps: Any, num_periods: float = 0.5, zero_after: Any = None) -> Callable[[Any], Any]:
    """Returns a function of the global step: cosine decay from 1, with `num_periods` periods in `decay_steps`.

    Args:
      zero_after: the number of periods after which the value is 0; None: never.
    """

    def decay(global_step: Any) -> Any:
        fraction = 2.0 * num_periods * _fraction(global_step, decay_steps, "cosine_decay")
        decayed = 0.5 * (1.0 + tf.cos(math.pi * fraction))
        return decayed if zero_after is None else _zero_where(fraction >= 2 * zero_after, decayed)

    return decay


def get_restart_decay_fn(decay_steps: Any, num_periods: float = 1, zero_after: Any = None) -> Callable[[Any], Any]:
    """Returns a function of the global step: cosine decay from 1 to 0, restarted `num_periods` times in `decay_steps`.

    Args:
      zero_after: the number of periods after which the value is 0; None: never.
    """

    def decay(global_step: Any) -> Any:
        done = num_periods * _fraction(global_step, decay_steps, "cosine_decay")
        decayed = 0.5 * (1.0 + tf.cos(math.pi * tf.floormod(done, 1.0)))
        return decayed if zero_after is None else _zero_where(done >= zero_after, decayed)

    return decay


def _fraction(global_step: Any, decay_steps: Any, name: str) -> Any:
    if global_step is None:
        raise ValueError("global_step is required for {}.".format(name))
    steps = tf.cast(decay_steps, tf.float32)
    return tf.minimum(tf.cast(global_step, tf.float32), steps) / steps


def _zero_where(condition: Any, values: Any) -> Any:
    return tf.where(condition, tf.zeros_like(values), values)
