"""Weight decay apart from the gradient (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019)."""
# The extension has no optimizer as its base: it stands before one.
# mypy: disable-error-code="attr-defined,misc"
from typing import Any, Optional, Sequence, Type

from legacy_towers.compat import tf


class DecoupledWeightDecayExtension:
    """Goes before an optimizer's class: weights shrink by `weight_decay` of themselves before the gradient is applied.

    Args:
      weight_decay: a number, a tensor, or a function that returns one.
      kwargs: those of the optimizer.
    """

    def __init__(self, weight_decay: Any, **kwargs: Any) -> None:
        self._weight_decay = weight_decay
        self._decayed_names: Optional[Sequence[str]] = None
        super().__init__(**kwargs)

    def minimize(self, loss: Any, global_step: Any = None, var_list: Any = None, **options: Any) -> Any:
        """tf.train.Optimizer.minimize; `decay_var_list` are the variables that shrink, all by default."""
        self._choose(options.pop("decay_var_list", None))
        # apply_gradients, which this calls, would choose again.
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
        """tf.train.Optimizer.apply_gradients with `decay_var_list`."""
        self._choose(decay_var_list)
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _choose(self, variables: Any) -> None:
        self._decayed_names = [variable.name for variable in variables] if variables else None

    def _shrinks(self, variable: Any) -> bool:
        return self._decayed_names is None or variable.name in self._decayed_names

    def _decay_of_step(self) -> Any:
        return self._weight_decay() if callable(self._weight_decay) else self._weight_decay

    def _shrink(self, variable: Any, gradient: Any) -> Any:
        if not self._shrinks(variable):
            return tf.no_op()
        # Without this a gradient may see the variable before or after, as it happens on TensorFlow 1.15.
        with tf.control_dependencies([gradient]):
            lost = self._decay_of_step() * variable
            return tf.assign_sub(variable, lost, use_locking=self._use_locking)

    def _shrink_rows(self, variable: Any, gradient: Any, rows: Any) -> Any:
        if not self._shrinks(variable):
            return tf.no_op()
        with tf.control_dependencies([gradient]):
            return tf.scatter_sub(variable, rows, self._decay_of_step() * tf.gather(variable, rows))

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._shrink(var, grad)]):
            return super()._apply_dense(grad, var)

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._shrink(var, grad)]):
            return super()._resource_apply_dense(grad, var)

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._shrink_rows(var, grad.values, grad.indices)]):
            return super()._apply_sparse(grad, var)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        with tf.control_dependencies([self._shrink_rows(var, grad, indices)]):
            return super()._resource_apply_sparse(grad, var, indices)


def extend_with_decoupled_weight_decay(base_optimizer: Type[Any]) -> Type[Any]:
    """Returns the class of `base_optimizer` with weight decay; its first argument is `weight_decay`."""

    class OptimizerWithDecoupledWeightDecay(DecoupledWeightDecayExtension, base_optimizer):
        """An optimizer with decoupled weight decay."""

        def __init__(self, weight_decay: Any, *args: Any, **options: Any) -> None:
            # The extension takes options by name alone.
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
