"""Variants of Adam in tf.contrib.opt."""
from typing import Any

from legacy_towers.compat.tf1.contrib.private import optimizers
from legacy_towers.compat.versions import tf


class LazyAdamOptimizer(optimizers.AdamBase):
    """Adam that, for sparse gradients, updates moments only in the rows that have a gradient."""

    def sparse_update(self, gradient: Any, variable: Any, rows: Any) -> Any:
        return _lazy_update(self, gradient, variable, rows)


class NadamOptimizer(optimizers.AdamBase):
    """Adam with Nesterov momentum (Dozat, "Incorporating Nesterov Momentum into Adam", 2015)."""

    def dense_update(self, gradient: Any, variable: Any) -> Any:
        return self.fused_adam(gradient, variable, True)

    def sparse_update(self, gradient: Any, variable: Any, rows: Any) -> Any:
        numbers = self.hyperparameters(variable.dtype)
        m, v = self.get_slot(variable, "m"), self.get_slot(variable, "v")
        rate = numbers.learning_rate * tf.sqrt(1 - numbers.beta2_power) / (1 - numbers.beta1_power)
        addition = gradient * (1 - numbers.beta1)
        new_m = self.decay_and_add(m, numbers.beta1, addition, rows)
        nesterov_m = addition + numbers.beta1 * tf.gather(new_m, rows)
        new_v = self.decay_and_add(v, numbers.beta2, tf.square(gradient) * (1 - numbers.beta2), rows)
        change = rate * nesterov_m / (tf.sqrt(tf.gather(new_v, rows)) + numbers.epsilon)
        return tf.group(tf.scatter_sub(variable, rows, change), new_m, new_v)


class AdaMaxOptimizer(optimizers.AdamBase):
    """AdaMax, Adam with the infinity norm (Kingma and Ba, https://arxiv.org/abs/1412.6980, section 7.1)."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdaMax",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _create_slots(self, var_list: Any) -> None:
        first = min(var_list, key=lambda variable: variable.name)
        self._create_non_slot_variable(initial_value=self._beta1, name="beta1_power", colocate_with=first)
        for variable in var_list:
            self._zeros_slot(variable, "m", self._name)
            self._zeros_slot(variable, "v", self._name)

    def _get_beta_accumulators(self) -> Any:
        power = self._get_non_slot_variable("beta1_power", graph=tf.get_default_graph())
        return power, power  # AdaMax has no power of beta2; the second value is not used

    def dense_update(self, gradient: Any, variable: Any) -> Any:
        numbers = self.hyperparameters(gradient.dtype)
        slots = {"var": variable, "m": self.get_slot(variable, "m"), "v": self.get_slot(variable, "v")}
        return optimizers.fused(
            "ApplyAdaMax",
            slots,
            beta1_power=numbers.beta1_power,
            lr=numbers.learning_rate,
            beta1=numbers.beta1,
            beta2=numbers.beta2,
            epsilon=numbers.epsilon,
            grad=gradient,
            use_locking=self._use_locking,
        )

    def sparse_update(self, gradient: Any, variable: Any, rows: Any) -> Any:
        numbers = self.hyperparameters(variable.dtype)
        m, v = self.get_slot(variable, "m"), self.get_slot(variable, "v")
        new_m = tf.gather(m, rows) * numbers.beta1 + gradient * (1 - numbers.beta1)
        new_v = tf.maximum(tf.gather(v, rows) * numbers.beta2, tf.abs(gradient))
        change = numbers.learning_rate / (1 - numbers.beta1_power) * (new_m / (new_v + numbers.epsilon))
        return _write_rows(variable, m, v, rows, new_m, new_v, change)

    def _finish(self, update_ops: Any, name_scope: str) -> Any:
        power, _ = self._get_beta_accumulators()
        with tf.control_dependencies(update_ops), tf.colocate_with(power):
            update = tf.assign(power, power * self._beta1_t, use_locking=self._use_locking)
        return tf.group(*(list(update_ops) + [update]), name=name_scope)


class AdamGSOptimizer(optimizers.AdamBase):
    """Adam that computes the powers of beta1 and beta2 from the global step instead of storing them in variables."""

    def __init__(
        self,
        global_step: Any = 0,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)
        self._global_step = global_step
        self._steps_done: Any = None

    def _prepare(self) -> None:
        super()._prepare()
        self._steps_done = tf.cast(tf.identity(self._global_step) + 1, tf.float32)

    def _get_beta_accumulators(self) -> Any:
        return tf.pow(self._beta1_t, self._steps_done), tf.pow(self._beta2_t, self._steps_done)

    def _create_slots(self, var_list: Any) -> None:
        for variable in var_list:
            self._zeros_slot(variable, "m", self._name)
            self._zeros_slot(variable, "v", self._name)

    def _finish(self, update_ops: Any, name_scope: str) -> Any:
        return tf.group(*update_ops, name=name_scope)


class LazyAdamGSOptimizer(AdamGSOptimizer):
    """LazyAdamOptimizer that computes the powers of beta1 and beta2 from the global step."""

    def sparse_update(self, gradient: Any, variable: Any, rows: Any) -> Any:
        return _lazy_update(self, gradient, variable, rows)


def _lazy_update(optimizer: Any, gradient: Any, variable: Any, rows: Any) -> Any:
    numbers = optimizer.hyperparameters(variable.dtype)
    m, v = optimizer.get_slot(variable, "m"), optimizer.get_slot(variable, "v")
    rate = numbers.learning_rate * tf.sqrt(1 - numbers.beta2_power) / (1 - numbers.beta1_power)
    new_m = numbers.beta1 * tf.gather(m, rows) + (1 - numbers.beta1) * gradient
    new_v = numbers.beta2 * tf.gather(v, rows) + (1 - numbers.beta2) * tf.square(gradient)
    change = rate * new_m / (tf.sqrt(new_v) + numbers.epsilon)
    return _write_rows(variable, m, v, rows, new_m, new_v, change)


def _write_rows(variable: Any, m: Any, v: Any, rows: Any, new_m: Any, new_v: Any, change: Any) -> Any:
    """Writes rows of the slots and of the variable after all values are computed."""
    with tf.control_dependencies([new_m, new_v, change]):
        return tf.group(
            tf.scatter_update(m, rows, new_m), tf.scatter_update(v, rows, new_v), tf.scatter_sub(variable, rows, change)
        )
