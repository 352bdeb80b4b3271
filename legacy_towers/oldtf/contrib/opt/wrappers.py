"""Optimizers around optimizers."""
import contextlib
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from legacy_towers.compat import optimizers, tf


class _Wrapper(tf.train.Optimizer):  # pylint: disable=abstract-method
    """Hands gradients and slots on to `opt`."""

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
    """Keeps moving averages of the variables beside `opt`; `swapping_saver` saves them under the variables' names."""

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
        """Returns a tf.train.Saver that exchanges variables and their averages.

        Raises:
          RuntimeError: nothing was minimized yet.
          ValueError: one of a pair is not in `var_list`.
        """
        if self._swapped is None:
            raise RuntimeError("Must call apply_gradients or minimize before creating the swapping_saver")
        chosen = tf.global_variables() if var_list is None else var_list
        by_name = chosen if isinstance(chosen, dict) else {variable.op.name: variable for variable in chosen}
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
    """Clips variables by their norms after each update.

    Args:
      vars_to_clip_dims: variable -> the axes over which norms are taken.
      max_norm: the greatest norm.
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
        with tf.name_scope("clip_" + variable.op.name), self._near(variable):
            if isinstance(gradient, tf.IndexedSlices) and 0 not in axes:
                rows = tf.gather(variable, gradient.indices)
                # A row that comes twice shrinks twice: the numbers of TensorFlow 1.15.
                excess = rows - tf.clip_by_norm(rows, self._max_norm, axes)
                return tf.scatter_sub(variable, gradient.indices, excess)
            value = variable.read_value()
            return tf.assign_sub(variable, value - tf.clip_by_norm(value, self._max_norm, axes))

    @contextlib.contextmanager
    def _near(self, variable: Any) -> Iterator[None]:
        if not self._colocate:
            yield
            return
        with tf.colocate_with(variable):
            yield


class DropStaleGradientOptimizer(_Wrapper):
    """Drops gradients computed more than `staleness` global steps ago, and counts them in "stale_counter"."""

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
        one_more = tf.cond(tf.less_equal(age, self._staleness), accept, lambda: tf.identity(1.0))
        counted = tf.assign_add(dropped, one_more)
        share = dropped / tf.cast(global_step + 1, tf.float32)
        tf.summary.scalar("Gradient staleness percentage", share)
        return counted


class RegAdagradOptimizer(optimizers.AdagradParts):
    """Adagrad whose accumulators stay as they are for updates made in `avoid_updating_slots()`."""

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
        """Updates built inside leave the accumulators alone."""
        before, self._updates_slots = self._updates_slots, False
        try:
            yield
        finally:
            self._updates_slots = before

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
    """Leaves a variable and its slots alone in steps in which its gradient is all zero.

    Raises:
      TypeError: `opt` is no tf.train.Optimizer.
    """

    def __init__(self, opt: Any) -> None:
        if not isinstance(opt, tf.train.Optimizer):
            raise TypeError("Supplied optimizer must be an instance of tf.train.Optimizer")
        self._opt = opt
        for name in ("_apply_dense", "_resource_apply_dense", "_apply_sparse", "_resource_apply_sparse"):
            # On this one optimizer, which is the wrapper's from now on; its class stays as it is.
            setattr(opt, name, _skipping(getattr(opt, name)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._opt, name)


def _skipping(apply: Any) -> Any:
    def skipping(grad: Any, *args: Any, **options: Any) -> Any:
        def update() -> Any:
            with tf.control_dependencies([apply(grad, *args, **options)]):
                return tf.no_op()

        return tf.cond(_is_zero(grad), tf.no_op, update)

    return skipping


def _is_zero(gradient: Any) -> Any:
    values = gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient
    return tf.equal(tf.count_nonzero(values), 0)


def clip_gradients_by_global_norm(
    gradients_variables: Sequence[Tuple[Any, Any]], clip_norm: float = 20.0
) -> Tuple[List[Tuple[Any, Any]], Any]:
    """Returns the clipped (gradient, variable) pairs and the norm; gradients that are all zero may be undefined."""
    gradients, variables = zip(*gradients_variables)

    def counted(gradient: Any) -> Any:
        if gradient is None:
            return None
        zero = lambda: tf.zeros([], dtype=gradient.dtype)  # noqa: E731
        return tf.cond(_is_zero(gradient), zero, lambda: gradient)

    norm = tf.global_norm([counted(gradient) for gradient in gradients])
    clipped, _ = tf.clip_by_global_norm(gradients, clip_norm, use_norm=norm)
    return list(zip(clipped, variables)), norm
