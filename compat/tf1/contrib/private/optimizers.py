"""Base classes of optimizers: ref and resource variables, fused updates, Adam and Adagrad."""
from typing import Any, Dict, NamedTuple

from legacy_towers.compat.versions import tf


class RefAndResourceOptimizer(tf.train.Optimizer):  # pylint: disable=abstract-method
    """An optimizer with one method for dense and one for sparse gradients, of ref and resource variables alike."""

    def dense_update(self, gradient: Any, variable: Any) -> Any:
        """Returns the operation that updates `variable` by a dense gradient of the same shape."""
        raise NotImplementedError

    def sparse_update(self, gradient: Any, variable: Any, rows: Any) -> Any:
        """Returns the operation that updates the unique `rows` [n] of `variable` by their gradients [n, ...]."""
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
    """Returns the training operation `name` ("ApplyAdam") for `variables`: input name -> ref or resource variable."""
    is_resource = hasattr(next(iter(variables.values())), "handle")
    function = getattr(tf.raw_ops, ("Resource" if is_resource else "") + name)
    handles = {key: variable.handle if is_resource else variable for key, variable in variables.items()}
    result = function(**dict(handles, **inputs))
    return result if is_resource else result.op


class AdamHyperparameters(NamedTuple):
    """The hyperparameters of Adam and the current powers of beta1 and beta2, as scalar tensors of one dtype."""

    learning_rate: Any
    beta1: Any
    beta2: Any
    epsilon: Any
    beta1_power: Any
    beta2_power: Any


class AdamBase(RefAndResourceOptimizer, tf.train.AdamOptimizer):
    """A tf.train.AdamOptimizer to extend; uses private attributes, tested on 1.15 and 2.21."""

    def hyperparameters(self, dtype: Any) -> AdamHyperparameters:
        """Returns the hyperparameters of the current step as tensors of `dtype`."""
        powers = self._get_beta_accumulators()
        given = (self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t) + tuple(powers)
        return AdamHyperparameters(*[tf.cast(number, dtype.base_dtype) for number in given])

    def dense_update(self, gradient: Any, variable: Any) -> Any:
        return self.fused_adam(gradient, variable, False)

    def sparse_update(self, gradient: Any, variable: Any, rows: Any) -> Any:
        """Updates as tf.train.AdamOptimizer does: the slots of rows without gradient decay too."""
        numbers = self.hyperparameters(variable.dtype)
        m, v = self.get_slot(variable, "m"), self.get_slot(variable, "v")
        rate = numbers.learning_rate * tf.sqrt(1 - numbers.beta2_power) / (1 - numbers.beta1_power)
        new_m = self.decay_and_add(m, numbers.beta1, gradient * (1 - numbers.beta1), rows)
        new_v = self.decay_and_add(v, numbers.beta2, tf.square(gradient) * (1 - numbers.beta2), rows)
        update = tf.assign_sub(variable, rate * new_m / (tf.sqrt(new_v) + numbers.epsilon))
        return tf.group(update, new_m, new_v)

    def decay_and_add(self, slot: Any, beta: Any, addition: Any, rows: Any) -> Any:
        """Multiplies `slot` by `beta`, then adds `addition` to `rows`; returns the new values."""
        with tf.control_dependencies([tf.assign(slot, slot * beta, use_locking=self._use_locking)]):
            added = tf.scatter_add(slot, rows, addition)
        with tf.control_dependencies([added]):
            return tf.identity(added)

    def fused_adam(self, gradient: Any, variable: Any, use_nesterov: bool) -> Any:
        """Returns the fused Adam (or NAdam) update of `variable`."""
        numbers = self.hyperparameters(gradient.dtype)
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


class AdagradBase(RefAndResourceOptimizer, tf.train.AdagradOptimizer):  # pylint: disable=abstract-method
    """A tf.train.AdagradOptimizer to extend; uses private attributes, tested on 1.15 and 2.21."""

    def rate(self, dtype: Any) -> Any:
        """Returns the learning rate as a tensor of `dtype`."""
        return tf.cast(self._learning_rate_tensor, dtype.base_dtype)
