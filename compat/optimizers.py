"""What optimizers are built upon: both kinds of variables, the fused updates, and the parts of Adam."""
from typing import Any, Dict, NamedTuple

from legacy_towers.compat import tf


class EitherVariable(tf.train.Optimizer):  # pylint: disable=abstract-method
    """An optimizer that updates ref and resource variables by one method for dense and one for sparse gradients."""

    def dense_update(self, gradient: Any, variable: Any) -> Any:
        """Returns the operation that updates `variable` by a gradient of its shape."""
        raise NotImplementedError

    def sparse_update(self, gradient: Any, variable: Any, rows: Any) -> Any:
        """Returns the operation that updates `rows` (each once) of `variable` by their gradients."""
        raise NotImplementedError

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return self.dense_update(grad, var)

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        return self.dense_update(grad, handle)

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self.sparse_update(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        return self.sparse_update(grad, handle, indices)


def fused(name: str, variables: Dict[str, Any], **inputs: Any) -> Any:
    """Returns TensorFlow's operation `name` ("ApplyAdam") on `variables` (input -> variable) of either kind."""
    is_resource = hasattr(next(iter(variables.values())), "handle")
    function = getattr(tf.raw_ops, ("Resource" if is_resource else "") + name)
    taken = {key: variable.handle if is_resource else variable for key, variable in variables.items()}
    made = function(**dict(taken, **inputs))
    return made if is_resource else made.op


class AdamNumbers(NamedTuple):
    """The hyperparameters of Adam in one dtype, and the powers of the two betas."""

    learning_rate: Any
    beta1: Any
    beta2: Any
    epsilon: Any
    beta1_power: Any
    beta2_power: Any


class EitherAdam(EitherVariable, tf.train.AdamOptimizer):
    """tf.train.AdamOptimizer, to be changed; its private attributes were tried on 1.15 and 2.21."""

    def numbers(self, dtype: Any) -> AdamNumbers:
        """Returns the numbers of this step as tensors of `dtype`."""
        powers = self._get_beta_accumulators()
        given = (self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t) + tuple(powers)
        return AdamNumbers(*[tf.cast(number, dtype.base_dtype) for number in given])

    def dense_update(self, gradient: Any, variable: Any) -> Any:
        return self.fused_adam(gradient, variable, False)

    def sparse_update(self, gradient: Any, variable: Any, rows: Any) -> Any:
        """Adam's own: the rows that have no gradient decay too."""
        numbers = self.numbers(variable.dtype)
        m, v = self.get_slot(variable, "m"), self.get_slot(variable, "v")
        rate = numbers.learning_rate * tf.sqrt(1 - numbers.beta2_power) / (1 - numbers.beta1_power)
        new_m = self.decayed(m, numbers.beta1, gradient * (1 - numbers.beta1), rows)
        new_v = self.decayed(v, numbers.beta2, tf.square(gradient) * (1 - numbers.beta2), rows)
        update = tf.assign_sub(variable, rate * new_m / (tf.sqrt(new_v) + numbers.epsilon))
        return tf.group(update, new_m, new_v)

    def decayed(self, slot: Any, beta: Any, addition: Any, rows: Any) -> Any:
        """Returns the values of `slot` after all of it was multiplied by `beta` and `rows` were added to."""
        with tf.control_dependencies([tf.assign(slot, slot * beta, use_locking=self._use_locking)]):
            added = tf.scatter_add(slot, rows, addition)
        with tf.control_dependencies([added]):
            return tf.identity(added)

    def fused_adam(self, gradient: Any, variable: Any, use_nesterov: bool) -> Any:
        """Returns TensorFlow's fused update."""
        numbers = self.numbers(gradient.dtype)
        slots = {"var": variable, "m": self.get_slot(variable, "m"), "v": self.get_slot(variable, "v")}
        return fused(
            "ApplyAdam",
            slots,
            beta1_power=numbers.beta1_power,
            beta2_power=numbers.beta2_power,
            lr=numbers.learning_rate,
            beta1=numbers.beta1,
            beta2=numbers.beta2,
            epsilon=numbers.epsilon,
            grad=gradient,
            use_locking=self._use_locking,
            use_nesterov=use_nesterov,
        )


class AdagradParts(EitherVariable, tf.train.AdagradOptimizer):  # pylint: disable=abstract-method
    """tf.train.AdagradOptimizer, to be changed; its private attributes were tried on 1.15 and 2.21."""

    def rate(self, dtype: Any) -> Any:
        """Returns the learning rate as a tensor of `dtype`."""
        return tf.cast(self._learning_rate_tensor, dtype.base_dtype)
