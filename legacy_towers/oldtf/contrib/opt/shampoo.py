"""Shampoo (Gupta, Koren and Singer, 2018): a preconditioner for each dimension of a variable."""
from typing import Any, Callable, Optional, Union

from legacy_towers.compat import tf

_Number = Union[float, Callable[[Any], Any]]


class ShampooOptimizer(tf.train.Optimizer):
    """Preconditioned gradient descent; rates and weights may be functions of the step.

    Args:
      global_step: the step, for the functions.
      max_matrix_size: larger dimensions have a diagonal preconditioner.
      gbar_decay, gbar_weight: of the momentum: gbar = decay * gbar + weight * gradient.
      mat_gbar_decay, mat_gbar_weight: of the preconditioners.
      svd_interval, precond_update_interval: the steps from one computation to the next.
      epsilon: what is added to the diagonals.
      alpha: the power of all preconditioners together.

    Raises:
      ValueError: `use_iterative_root`, which was for TPUs.
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
            raise ValueError("use_iterative_root was for TPUs and is not served: leave it out")
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

    def _at(self, number: _Number) -> Any:
        """Returns a number, or what its function gives at this step."""
        return number(self._step + 1) if callable(number) else number

    def _apply(self, gradient: Any, variable: Any, rows: Any = None) -> Any:
        direction = gradient
        if rows is None:
            decay, weight = self._gbar
            direction = self._averaged(self.get_slot(variable, "gbar"), decay, self._at(weight) * gradient)
        sizes = variable.shape.as_list()
        power = -self._at(self._alpha) / len(sizes)
        for index, size in enumerate(sizes):
            others = [other for other in range(len(sizes)) if other != index]
            slot = self.get_slot(variable, "Gbar_{}".format(index))
            if size <= self._max_matrix_size:
                matrix = self._preconditioner(slot, gradient, others, variable, index, size, power)
                direction = tf.tensordot(direction, matrix, axes=([0], [0]))
            else:
                diagonal = self._diagonal(slot, gradient, others, size, power, rows if index == 0 else None, rows)
                direction = tf.transpose(direction, list(range(1, len(sizes))) + [0]) * diagonal
        step = self._at(self._learning_rate) * direction
        return tf.scatter_sub(variable, rows, step) if rows is not None else tf.assign_sub(variable, step)

    def _averaged(self, slot: Any, decay: _Number, addition: Any) -> Any:
        if not callable(decay) and decay == 0.0:
            return addition
        if not callable(decay) and decay == 1.0:
            return tf.identity(tf.assign_add(slot, addition))
        return tf.identity(tf.assign_add(slot, (self._at(decay) - 1) * slot + addition))

    def _preconditioner(
        self, slot: Any, gradient: Any, others: Any, variable: Any, index: int, size: int, power: Any
    ) -> Any:
        step, interval = self._step + 1, self._at(self._update_interval)

        def updated() -> Any:
            weight = self._at(self._matrices[1]) * interval
            return self._averaged(slot, self._matrices[0], weight * tf.tensordot(gradient, gradient, (others, others)))

        matrix = tf.cond(tf.mod(step, interval) < 1, updated, lambda: tf.identity(slot)) / float(size)
        if not callable(self._svd_interval) and self._svd_interval == 1:
            return self._power(matrix, size, power, None)
        kept = self.get_slot(variable, "H_{}".format(index))
        is_time = tf.mod(step, self._at(self._svd_interval)) < 1
        return tf.cond(is_time, lambda: self._power(matrix, size, power, kept), lambda: tf.identity(kept))

    def _power(self, matrix: Any, size: int, power: Any, kept: Optional[Any]) -> Any:
        if size == 1:
            found = tf.pow(matrix + self._epsilon, power)
        else:
            values, left, right = tf.svd(matrix + self._epsilon * tf.eye(size), full_matrices=True)
            found = tf.matmul(right * tf.pow(tf.maximum(values, self._epsilon), power), tf.transpose(left))
        return found if kept is None else tf.identity(tf.assign(kept, found))

    def _diagonal(
        self, slot: Any, gradient: Any, others: Any, size: int, power: Any, own_rows: Any, rows: Any
    ) -> Any:
        squares = gradient * gradient
        if others:
            squares = tf.reduce_sum(squares, axis=others) / (1.0 if rows is not None else float(size))
        addition = self._at(self._matrices[1]) * squares
        if own_rows is not None:
            with tf.control_dependencies([tf.scatter_add(slot, own_rows, addition)]):
                sums = tf.gather(slot, own_rows)
        else:
            sums = self._averaged(slot, self._matrices[0], addition)
        return tf.where(tf.greater(sums, 0), tf.pow(sums, power), tf.zeros_like(sums))
