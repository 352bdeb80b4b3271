"""Optimizers of tf.contrib.opt that wrap another optimizer, RegAdagradOptimizer, and clipping by global norm."""
import contextlib
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from legacy_towers.compat.tf1.contrib.private import optimizers
from legacy_towers.compat.versions import tf


class _Wrapper(tf.train.Optimizer):  # pylint: disable=abstract-method
    """Base of optimizers that wrap `opt`, which computes the gradients and has the slots."""

    def __init__(self, opt: Any, use_locking: bool = False, name: str = "Wrapper") -> None:
        super().__init__(use_locking, name)
        self._opt = opt

    def compute_gradients(self, *args: Any, **options: Any) -> Any:
        return self._opt.compute_gradients(*args, **options)

    def get_slot(self, *args: Any, **options: Any) -> Any:
        return self._opt.get_slot(*args, **options)

    def get_slot_names(self, *args: Any, **options: Any) -> Any:
        return self._opt.get_slot_names(*args, **options)

    def variables(self) -> Any:
        return self._opt.variables()


class MovingAverageOptimizer(_Wrapper):
    """Wrapper that updates moving averages of the variables after each step of `opt`.

    `swapping_saver` saves the averages under the variables' names.

    Args:
      average_decay: of the tf.train.ExponentialMovingAverage.
      num_updates: the same.
      sequential_update: whether the averages are updated after the variables, not at the same time.
    """

    def __init__(
        self, opt: Any, average_decay: float = 0.9999, num_updates: Any = None, sequential_update: bool = True
    ) -> None:
        super().__init__(opt, name="MovingAverage")
        self._averages = tf.train.ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._swapped: Optional[Dict[str, str]] = None
        self._sequential_update = sequential_update

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Optional[str] = None) -> Any:
        grads_and_vars = list(grads_and_vars)
        train_op = self._opt.apply_gradients(grads_and_vars, global_step=global_step, name=name)
        variables = [variable for gradient, variable in grads_and_vars if gradient is not None]
        with tf.control_dependencies([train_op] if self._sequential_update else []):
            averaged = self._averages.apply(variables)
        self._swapped = {}
        for variable in variables:
            average = self._averages.average(variable)
            self._swapped[variable.op.name] = average.op.name
            self._swapped[average.op.name] = variable.op.name
        return tf.group(train_op, averaged, name="train_with_avg")

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **options: Any) -> Any:
        """Returns a tf.train.Saver that saves each average under its variable's name, and the other way round.

        Raises:
          RuntimeError: neither `minimize` nor `apply_gradients` was called.
          ValueError: `var_list` has a variable without its average, or an average without its variable.
        """
        if self._swapped is None:
            raise RuntimeError("Must call apply_gradients or minimize before creating the swapping_saver")
        variables = tf.global_variables() if var_list is None else var_list
        by_name = variables if isinstance(variables, dict) else {variable.op.name: variable for variable in variables}
        swapped = {}
        for key, variable in by_name.items():
            other = self._swapped.get(key)
            if other is not None and other not in by_name:
                raise ValueError(
                    "Variable to swap {} is not part of variables to save. This breaks MovingAverageOptimizer.".format(
                        other
                    )
                )
            swapped[key] = by_name[other] if other is not None else variable
        return tf.train.Saver(swapped, name=name, **options)


class VariableClippingOptimizer(_Wrapper):
    """Wrapper that clips variables by norm after each step of `opt`.

    Args:
      vars_to_clip_dims: variable -> the dimensions over which the norm is computed.
      max_norm: the maximum norm.
      colocate_clip_ops_with_vars: whether clipping runs on the variables' devices.
    """

    def __init__(
        self,
        opt: Any,
        vars_to_clip_dims: Dict[Any, Sequence[int]],
        max_norm: float,
        use_locking: bool = False,
        colocate_clip_ops_with_vars: bool = False,
        name: str = "VariableClipping",
    ) -> None:
        super().__init__(opt, use_locking, name)
        self._axes = {variable.name: list(axes) for variable, axes in vars_to_clip_dims.items()}
        self._max_norm = max_norm
        self._colocate = colocate_clip_ops_with_vars

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Optional[str] = None) -> Any:
        grads_and_vars = list(grads_and_vars)
        with tf.name_scope(name, self._name) as name:
            update = self._opt.apply_gradients(grads_and_vars, global_step=global_step)
            with tf.control_dependencies([update]):
                clipped = [
                    self._clip(gradient, variable)
                    for gradient, variable in grads_and_vars
                    if gradient is not None and variable.name in self._axes
                ]
            return tf.group(*([update] + clipped), name=name)

    def _clip(self, gradient: Any, variable: Any) -> Any:
        axes = self._axes[variable.name]
        with tf.name_scope("clip_" + variable.op.name), self._colocated(variable):
            if isinstance(gradient, tf.IndexedSlices) and 0 not in axes:
                rows = tf.gather(variable, gradient.indices)
                # As in TensorFlow 1.15, a row that is twice in the indices is clipped twice.
                excess = rows - tf.clip_by_norm(rows, self._max_norm, axes)
                return tf.scatter_sub(variable, gradient.indices, excess)
            value = variable.read_value()
            return tf.assign_sub(variable, value - tf.clip_by_norm(value, self._max_norm, axes))

    @contextlib.contextmanager
    def _colocated(self, variable: Any) -> Iterator[None]:
        if not self._colocate:
            yield
            return
        with tf.colocate_with(variable):
            yield


class DropStaleGradientOptimizer(_Wrapper):
    """Wrapper that drops gradients computed more than `staleness` global steps ago.

    The variable "stale_counter" counts the dropped gradients.
    """

    def __init__(self, opt: Any, staleness: int, use_locking: bool = False, name: str = "DropStaleGradient") -> None:
        super().__init__(opt, use_locking, name)
        self._staleness = staleness
        self._computed_at: Any = None

    def compute_gradients(self, loss: Any, *args: Any, **options: Any) -> Any:
        with tf.colocate_with(loss):
            self._computed_at = tf.train.get_global_step() + 0
        with tf.control_dependencies([self._computed_at]):
            return self._opt.compute_gradients(tf.identity(loss), *args, **options)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Optional[str] = None) -> Any:
        grads_and_vars = list(grads_and_vars)
        with tf.colocate_with(global_step):
            dropped = tf.get_variable("stale_counter", [], initializer=tf.zeros_initializer(), trainable=False)

        def accept() -> Any:
            applied = self._opt.apply_gradients(grads_and_vars, global_step=global_step, name=name)
            with tf.control_dependencies([applied]):
                return tf.identity(0.0)

        computed = [
            gradient.op if isinstance(gradient, tf.IndexedSlices) else gradient
            for gradient, _ in grads_and_vars
            if gradient is not None
        ]
        with tf.control_dependencies(computed), tf.colocate_with(global_step):
            age = tf.reshape(global_step - self._computed_at, [])
        is_dropped = tf.cond(tf.less_equal(age, self._staleness), accept, lambda: tf.identity(1.0))
        train_op = tf.assign_add(dropped, is_dropped)
        fraction = dropped / tf.cast(global_step + 1, tf.float32)
        tf.summary.scalar("Gradient staleness percentage", fraction)
        return train_op


class RegAdagradOptimizer(optimizers.AdagradBase):
    """Adagrad that does not update its accumulators for updates built in `avoid_updating_slots()`."""

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "RegAdagrad",
    ) -> None:
        super().__init__(learning_rate, initial_accumulator_value, use_locking, name)
        self._updates_slots = True

    @contextlib.contextmanager
    def avoid_updating_slots(self) -> Iterator[None]:
        """Returns a context manager; updates built in it do not change the accumulators."""
        previous, self._updates_slots = self._updates_slots, False
        try:
            yield
        finally:
            self._updates_slots = previous

    def dense_update(self, gradient: Any, variable: Any) -> Any:
        slots = {"var": variable, "accum": self.get_slot(variable, "accumulator")}
        options = dict(use_locking=self._use_locking, update_slots=self._updates_slots)
        return optimizers.fused("ApplyAdagrad", slots, lr=self.rate(gradient.dtype), grad=gradient, **options)

    def sparse_update(self, gradient: Any, variable: Any, rows: Any) -> Any:
        slots = {"var": variable, "accum": self.get_slot(variable, "accumulator")}
        options = dict(use_locking=self._use_locking, update_slots=self._updates_slots)
        rate = self.rate(gradient.dtype)
        return optimizers.fused("SparseApplyAdagrad", slots, lr=rate, grad=gradient, indices=rows, **options)


class MultitaskOptimizerWrapper:
    """Wrapper that skips the update of a variable and its slots in steps in which its gradient is all zeros.

    Raises:
      TypeError: `opt` is not a tf.train.Optimizer.
    """

    def __init__(self, opt: Any) -> None:
        if not isinstance(opt, tf.train.Optimizer):
            raise TypeError("Supplied optimizer must be an instance of tf.train.Optimizer")
        self._opt = opt
        for name in ("_apply_dense", "_resource_apply_dense", "_apply_sparse", "_resource_apply_sparse"):
            # Replaces methods of this instance, not of its class.
            setattr(opt, name, _skip_zero_gradients(getattr(opt, name)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opt, name)


def _skip_zero_gradients(apply: Any) -> Any:
    def apply_unless_zero(grad: Any, *args: Any, **options: Any) -> Any:
        def update() -> Any:
            with tf.control_dependencies([apply(grad, *args, **options)]):
                return tf.no_op()

        return tf.cond(_is_zero(grad), tf.no_op, update)

    return apply_unless_zero


def _is_zero(gradient: Any) -> Any:
    values = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
    return tf.equal(tf.count_nonzero(values), 0)


def clip_gradients_by_global_norm(
    gradients_variables: Sequence[Tuple[Any, Any]], clip_norm: float = 20.0
) -> Tuple[List[Tuple[Any, Any]], Any]:
    """Clips gradients by their global norm, without the gradients that are all zeros.

    Returns:
      (list of (clipped gradient, variable), the global norm).
    """
    gradients, variables = zip(*gradients_variables)

    def scalar_if_zero(gradient: Any) -> Any:
        if gradient is None:
            return None
        zero = lambda: tf.zeros([], dtype=gradient.dtype)  # noqa: E731
        return tf.cond(_is_zero(gradient), zero, lambda: gradient)

    norm = tf.global_norm([scalar_if_zero(gradient) for gradient in gradients])
    clipped, _ = tf.clip_by_global_norm(gradients, clip_norm, use_norm=norm)
    return list(zip(clipped, variables)), norm
