"""ShampooOptimizer of tf.contrib.opt."""
from typing import Any, Callable, Optional, Union

from legacy_towers.compat.versions import tf

_Number = Union[float, Callable[[Any], Any]]


class ShampooOptimizer(tf.train.Optimizer):
    """Shampoo: gradient descent with a preconditioner for each dimension of a variable.

    Gupta, Koren and Singer, "Shampoo: Preconditioned Stochastic Tensor Optimization" (2018),
    https://arxiv.org/abs/1802.09568. Decays, weights, intervals, `learning_rate` and `alpha` may be functions of the
    step.

    Args:
      global_step: the step that these functions get.
      max_matrix_size: larger dimensions have a diagonal preconditioner.
      gbar_decay: of the momentum, gbar = gbar_decay * gbar + gbar_weight * gradient.
      gbar_weight: of the momentum.
      mat_gbar_decay: the same for the preconditioners.
      mat_gbar_weight: the same for the preconditioners.
      svd_interval: steps between computations of the preconditioners' roots.
      precond_update_interval: steps between updates of the preconditioners.
      epsilon: added to the diagonals.
      alpha: the sum of the exponents of all preconditioners.

    Raises:
      ValueError: `use_iterative_root` is true.
    """

    def __init__(
        self,
        global_step: Any = 0,
        max_matrix_size: int = 768,
        gbar_decay: _Number = 0.0,
        gbar_weight: _Number = 1.0,
        mat_gbar_decay: _Number = 1.0,
        mat_gbar_weight: _Number = 1.0,
        learning_rate: _Number = 1.0,
        svd_interval: _Number = 1,
        precond_update_interval: _Number = 1,
        epsilon: float = 1e-4,
        alpha: _Number = 0.5,
        use_iterative_root: bool = False,
        use_locking: bool = False,
        name: str = "Shampoo",
    ) -> None:
        super().__init__(use_locking, name)
        if use_iterative_root:
            raise ValueError("use_iterative_root is for TPUs and is not supported: leave it out")
        self._step = tf.cast(global_step, tf.float32)
        self._max_matrix_size = max_matrix_size
        self._gbar = (gbar_decay, gbar_weight)
        self._matrices = (mat_gbar_decay, mat_gbar_weight)
        self._learning_rate = learning_rate
        self._svd_interval = svd_interval
        self._update_interval = precond_update_interval
        self._epsilon = epsilon
        self._alpha = alpha

    def _create_slots(self, var_list: Any) -> None:
        for variable in var_list:
            with tf.colocate_with(variable):
                self._zeros_slot(variable, "gbar", self._name)
                for index, size in enumerate(variable.shape.as_list()):
                    is_matrix = size <= self._max_matrix_size
                    if is_matrix and self._svd_interval != 1:
                        self._get_or_make_slot(variable, tf.eye(size), "H_{}".format(index), self._name)
                    zeros = tf.zeros([size, size] if is_matrix else [size])
                    self._get_or_make_slot(variable, zeros, "Gbar_{}".format(index), self._name)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return self._apply(grad, var)

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        return self._apply(grad, handle)

    def _apply_sparse(self, grad: Any, var: Any) -> Any:
        return self._apply_rows(grad.values, grad.indices, var)

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        return self._apply_rows(grad, indices, handle)

    def _apply_rows(self, values: Any, rows: Any, variable: Any) -> Any:
        if variable.shape.as_list()[0] <= self._max_matrix_size or self._gbar[0] != 0.0:
            shape = tf.shape(variable, out_type=rows.dtype)
            return self._apply(tf.scatter_nd(tf.expand_dims(rows, 1), values, shape), variable)
        return self._apply(values, variable, rows)

    def _value(self, number: _Number) -> Any:
        """Returns a number, or the value of a function at this step."""
        return number(self._step + 1) if callable(number) else number

    def _apply(self, gradient: Any, variable: Any, rows: Any = None) -> Any:
        direction = gradient
        if rows is None:
            decay, weight = self._gbar
            direction = self._update_average(self.get_slot(variable, "gbar"), decay, self._value(weight) * gradient)
        sizes = variable.shape.as_list()
        power = -self._value(self._alpha) / len(sizes)
        for index, size in enumerate(sizes):
            others = [other for other in range(len(sizes)) if other != index]
            slot = self.get_slot(variable, "Gbar_{}".format(index))
            if size <= self._max_matrix_size:
                matrix = self._preconditioner(slot, gradient, others, variable, index, size, power)
                direction = tf.tensordot(direction, matrix, axes=([0], [0]))
            else:
                diagonal = self._diagonal(slot, gradient, others, size, power, rows if index == 0 else None, rows)
                direction = tf.transpose(direction, list(range(1, len(sizes))) + [0]) * diagonal
        step = self._value(self._learning_rate) * direction
        return tf.scatter_sub(variable, rows, step) if rows is not None else tf.assign_sub(variable, step)

    def _update_average(self, slot: Any, decay: _Number, addition: Any) -> Any:
        if not callable(decay) and decay == 0.0:
            return addition
        if not callable(decay) and decay == 1.0:
            return tf.identity(tf.assign_add(slot, addition))
        return tf.identity(tf.assign_add(slot, (self._value(decay) - 1) * slot + addition))

    def _preconditioner(
        self, slot: Any, gradient: Any, others: Any, variable: Any, index: int, size: int, power: Any
    ) -> Any:
        step, interval = self._step + 1, self._value(self._update_interval)

        def update() -> Any:
            weight = self._value(self._matrices[1]) * interval
            addition = weight * tf.tensordot(gradient, gradient, (others, others))
            return self._update_average(slot, self._matrices[0], addition)

        matrix = tf.cond(tf.mod(step, interval) < 1, update, lambda: tf.identity(slot)) / float(size)
        if not callable(self._svd_interval) and self._svd_interval == 1:
            return self._power(matrix, size, power, None)
        power_slot = self.get_slot(variable, "H_{}".format(index))
        is_due = tf.mod(step, self._value(self._svd_interval)) < 1
        return tf.cond(is_due, lambda: self._power(matrix, size, power, power_slot), lambda: tf.identity(power_slot))

    def _power(self, matrix: Any, size: int, power: Any, slot: Optional[Any]) -> Any:
        if size == 1:
            result = tf.pow(matrix + self._epsilon, power)
        else:
            values, left, right = tf.svd(matrix + self._epsilon * tf.eye(size), full_matrices=True)
            result = tf.matmul(right * tf.pow(tf.maximum(values, self._epsilon), power), tf.transpose(left))
        return result if slot is None else tf.identity(tf.assign(slot, result))

    def _diagonal(
        self, slot: Any, gradient: Any, others: Any, size: int, power: Any, own_rows: Any, rows: Any
    ) -> Any:
        squares = gradient * gradient
        if others:
            squares = tf.reduce_sum(squares, axis=others) / (1.0 if rows is not None else float(size))
        addition = self._value(self._matrices[1]) * squares
        if own_rows is not None:
            with tf.control_dependencies([tf.scatter_add(slot, own_rows, addition)]):
                sums = tf.gather(slot, own_rows)
        else:
            sums = self._update_average(slot, self._matrices[0], addition)
        return tf.where(tf.greater(sums, 0), tf.pow(sums, power), tf.zeros_like(sums))
