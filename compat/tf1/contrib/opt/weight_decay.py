"""Optimizers of tf.contrib.opt with decoupled weight decay.

Loshchilov and Hutter, "Decoupled Weight Decay Regularization" (2019), https://arxiv.org/abs/1711.05101.
"""
# The extension is a mixin without a base class: the methods that it calls are those of the optimizer.
# mypy: disable-error-code="attr-defined,misc"
from typing import Any, Optional, Sequence, Type

from legacy_towers.compat.versions import tf


class DecoupledWeightDecayExtension:
    """Mixin that subtracts weight_decay * variable from each variable before the optimizer's update.

        class SGDW(DecoupledWeightDecayExtension, tf.train.GradientDescentOptimizer): ...

    Args:
      weight_decay: a number, a tensor, or a function that returns one.
      kwargs: arguments of the optimizer.
    """

    def __init__(self, weight_decay: Any, **kwargs: Any) -> None:
        self._weight_decay = weight_decay
        self._decayed_names: Optional[Sequence[str]] = None
        super().__init__(**kwargs)

    def minimize(self, loss: Any, global_step: Any = None, var_list: Any = None, **options: Any) -> Any:
        """Minimizes as tf.train.Optimizer.minimize, with `decay_var_list`: the variables to decay, by default all.

        Raises:
          ValueError: no variable has a gradient.
        """
        self._set_decay_var_list(options.pop("decay_var_list", None))
        # Optimizer.minimize would call apply_gradients of this class, which resets the list of variables.
        compute = {
            name: options.pop(name)
            for name in ("gate_gradients", "aggregation_method", "colocate_gradients_with_ops", "grad_loss")
            if name in options
        }
        gradients = self.compute_gradients(loss, var_list, **compute)
        if not any(gradient is not None for gradient, _ in gradients):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support gradients, "
                "between variables {} and loss {}.".format([str(variable) for _, variable in gradients], loss)
            )
        return super().apply_gradients(gradients, global_step=global_step, **options)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: Optional[str] = None, decay_var_list: Any = None
    ) -> Any:
        """Applies gradients as tf.train.Optimizer.apply_gradients, with `decay_var_list`."""
        self._set_decay_var_list(decay_var_list)
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _set_decay_var_list(self, variables: Any) -> None:
        self._decayed_names = [variable.name for variable in variables] if variables else None

    def _do_use_weight_decay(self, variable: Any) -> bool:
        return self._decayed_names is None or variable.name in self._decayed_names

    def _weight_decay_value(self) -> Any:
        return self._weight_decay() if callable(self._weight_decay) else self._weight_decay

    def _decay_weights_op(self, variable: Any, gradient: Any) -> Any:
        if not self._do_use_weight_decay(variable):
            return tf.no_op()
        # On TensorFlow 1.15, without this dependency, a gradient may read the variable before or after the decay.
        with tf.control_dependencies([gradient]):
            decay = self._weight_decay_value() * variable
            return tf.assign_sub(variable, decay, use_locking=self._use_locking)

    def _decay_weights_sparse_op(self, variable: Any, gradient: Any, rows: Any) -> Any:
        if not self._do_use_weight_decay(variable):
            return tf.no_op()
        with tf.control_dependencies([gradient]):
            return tf.scatter_sub(variable, rows, self._weight_decay_value() * tf.gather(variable, rows))

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._decay_weights_op(var, grad)]):
            return super()._apply_dense(grad, var)

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._decay_weights_op(var, grad)]):
            return super()._resource_apply_dense(grad, var)

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._decay_weights_sparse_op(var, grad.values, grad.indices)]):
            return super()._apply_sparse(grad, var)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        with tf.control_dependencies([self._decay_weights_sparse_op(var, grad, indices)]):
            return super()._resource_apply_sparse(grad, var, indices)


def extend_with_decoupled_weight_decay(base_optimizer: Type[Any]) -> Type[Any]:
    """Returns a subclass of `base_optimizer` with decoupled weight decay; its first argument is `weight_decay`."""

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):
        """An optimizer with decoupled weight decay."""

        def __init__(self, weight_decay: Any, *args: Any, **options: Any) -> None:
            # DecoupledWeightDecayExtension.__init__ takes keyword arguments only.
            self._weight_decay = weight_decay
            self._decayed_names = None
            base_optimizer.__init__(self, *args, **options)

    return OptimizerWithDecoupledWeightDecay


class MomentumWOptimizer(DecoupledWeightDecayExtension, tf.train.MomentumOptimizer):
    """Momentum with decoupled weight decay."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "MomentumW",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            momentum=momentum,
            use_locking=use_locking,
            name=name,
            use_nesterov=use_nesterov,
        )


class AdamWOptimizer(DecoupledWeightDecayExtension, tf.train.AdamOptimizer):
    """Adam with decoupled weight decay."""

    def __init__(
        self,
        weight_decay: Any,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "AdamW",
    ) -> None:
        super().__init__(
            weight_decay,
            learning_rate=learning_rate,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            use_locking=use_locking,
            name=name,
        )
