"""Variants of Adam."""
from typing import Any

from legacy_towers.compat import optimizers, tf


class LazyAdamOptimizer(optimizers.EitherAdam):
    """Adam in which rows without a gradient keep their averages as they are."""

    def sparse_update(self, gradient: Any, variable: Any, rows: Any) -> Any:
        return _lazy_update(self, gradient, variable, rows)


class NadamOptimizer(optimizers.EitherAdam):
    """Adam with Nesterov's momentum (Dozat, 2015)."""

    def dense_update(self, gradient: Any, variable: Any) -> Any:
        return self.fused_adam(gradient, variable, True)

    def sparse_update(self, gradient: Any, variable: Any, rows: Any) -> Any:
        numbers = self.numbers(variable.dtype)
        m, v = self.get_slot(variable, "m"), self.get_slot(variable, "v")
        rate = numbers.learning_rate * tf.sqrt(1 - numbers.beta2_power) / (1 - numbers.beta1_power)
        addition = gradient * (1 - numbers.beta1)
        new_m = self.decayed(m, numbers.beta1, addition, rows)
        ahead = addition + numbers.beta1 * tf.gather(new_m, rows)
        new_v = self.decayed(v, numbers.beta2, tf.square(gradient) * (1 - numbers.beta2), rows)
        change = rate * ahead / (tf.sqrt(tf.gather(new_v, rows)) + numbers.epsilon)
        return tf.group(tf.scatter_sub(variable, rows, change), new_m, new_v)


class AdaMaxOptimizer(optimizers.EitherAdam):
    """Adam by the infinity norm (Kingma and Ba, 2015, section 7.1); one power of beta is kept."""

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
        return power, power  # the second one is not used

    def dense_update(self, gradient: Any, variable: Any) -> Any:
        numbers = self.numbers(gradient.dtype)
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
        numbers = self.numbers(variable.dtype)
        m, v = self.get_slot(variable, "m"), self.get_slot(variable, "v")
        new_m = tf.gather(m, rows) * numbers.beta1 + gradient * (1 - numbers.beta1)
        new_v = tf.maximum(tf.gather(v, rows) * numbers.beta2, tf.abs(gradient))
        change = numbers.learning_rate / (1 - numbers.beta1_power) * (new_m / (new_v + numbers.epsilon))
        return _written(variable, m, v, rows, new_m, new_v, change)

    def _finish(self, update_ops: Any, name_scope: str) -> Any:
        power, _ = self._get_beta_accumulators()
        with tf.control_dependencies(update_ops), tf.colocate_with(power):
            update = tf.assign(power, power * self._beta1_t, use_locking=self._use_locking)
        return tf.group(*(list(update_ops) + [update]), name=name_scope)


class AdamGSOptimizer(optimizers.EitherAdam):
    """Adam whose powers of beta follow from the global step, instead of variables of their own."""

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
    """The lazy one of it."""

    def sparse_update(self, gradient: Any, variable: Any, rows: Any) -> Any:
        return _lazy_update(self, gradient, variable, rows)


def _lazy_update(optimizer: Any, gradient: Any, variable: Any, rows: Any) -> Any:
    numbers = optimizer.numbers(variable.dtype)
    m, v = optimizer.get_slot(variable, "m"), optimizer.get_slot(variable, "v")
    rate = numbers.learning_rate * tf.sqrt(1 - numbers.beta2_power) / (1 - numbers.beta1_power)
    new_m = numbers.beta1 * tf.gather(m, rows) + (1 - numbers.beta1) * gradient
    new_v = numbers.beta2 * tf.gather(v, rows) + (1 - numbers.beta2) * tf.square(gradient)
    change = rate * new_m / (tf.sqrt(new_v) + numbers.epsilon)
    return _written(variable, m, v, rows, new_m, new_v, change)


def _written(variable: Any, m: Any, v: Any, rows: Any, new_m: Any, new_v: Any, change: Any) -> Any:
    """Writes the rows of two slots and of the variable, once all that is read was read."""
    with tf.control_dependencies([new_m, new_v, change]):
        return tf.group(
            tf.scatter_update(m, rows, new_m), tf.scatter_update(v, rows, new_v), tf.scatter_sub(variable, rows, change)
        )
