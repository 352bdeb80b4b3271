"""Interface to optimizers outside TensorFlow, and ScipyOptimizerInterface."""
from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np

from legacy_towers.compat.versions import tf


class ExternalOptimizerInterface:
    """Base of optimizers that work on one NumPy vector of all variables. Subclasses implement `_minimize`.

    Args:
      loss: a scalar tensor.
      var_list: the variables to optimize; by default all trainable ones.
      equalities: tensors that must be 0.
      inequalities: tensors that must be nonnegative.
      var_to_bounds: variable -> (lower bound, upper bound).
      optimizer_kwargs: arguments of `_minimize`.
    """

    def __init__(
        self,
        loss: Any,
        var_list: Optional[Sequence[Any]] = None,
        equalities: Optional[Sequence[Any]] = None,
        inequalities: Optional[Sequence[Any]] = None,
        var_to_bounds: Optional[Dict[Any, Any]] = None,
        **optimizer_kwargs: Any,
    ) -> None:
        self._loss = loss
        self._equalities = list(equalities or ())
        self._inequalities = list(inequalities or ())
        self._vars = tf.trainable_variables() if var_list is None else list(var_list)
        self.optimizer_kwargs = optimizer_kwargs
        self._shapes = [tuple(variable.shape.as_list()) for variable in self._vars]
        ends = np.cumsum([0] + [int(np.prod(shape)) for shape in self._shapes])
        self._packing_slices = [slice(begin, end) for begin, end in zip(ends[:-1], ends[1:])]
        self._packed_bounds = self._bounds(var_to_bounds)
        self._update_placeholders = [tf.placeholder(variable.dtype.base_dtype) for variable in self._vars]
        self._var_updates = [
            variable.assign(tf.reshape(placeholder, shape))
            for variable, placeholder, shape in zip(self._vars, self._update_placeholders, self._shapes)
        ]
        self._packed_var = _pack(self._vars)
        self._packed_loss_grad = self._gradient(loss)
        self._packed_equality_grads = [self._gradient(tensor) for tensor in self._equalities]
        self._packed_inequality_grads = [self._gradient(tensor) for tensor in self._inequalities]

    def minimize(
        self,
        session: Any = None,
        feed_dict: Optional[Dict[Any, Any]] = None,
        fetches: Optional[Sequence[Any]] = None,
        step_callback: Optional[Callable[..., Any]] = None,
        loss_callback: Optional[Callable[..., Any]] = None,
        **run_kwargs: Any,
    ) -> None:
        """Minimizes the loss and writes the variables.

        Args:
          session: a tf.Session; the default session if None.
          feed_dict: fed in each run.
          fetches: tensors whose values `loss_callback` gets.
          step_callback: called with the vector of all variables after each step.
          loss_callback: called with the values of `fetches` after each evaluation of the loss.
          run_kwargs: arguments of the `session.run` that writes the variables.
        """
        session = session or tf.get_default_session()
        fetches, feed_dict = list(fetches or ()), dict(feed_dict or {})

        def function(tensors: Any, callback: Optional[Callable[..., Any]] = None) -> Callable[[Any], Any]:
            return self._function(tensors, session, feed_dict, fetches, callback)

        result = self._minimize(
            initial_val=session.run(self._packed_var),
            loss_grad_func=function([self._loss, self._packed_loss_grad], loss_callback),
            equality_funcs=[function([tensor]) for tensor in self._equalities],
            equality_grad_funcs=[function([tensor]) for tensor in self._packed_equality_grads],
            inequality_funcs=[function([tensor]) for tensor in self._inequalities],
            inequality_grad_funcs=[function([tensor]) for tensor in self._packed_inequality_grads],
            packed_bounds=self._packed_bounds,
            step_callback=step_callback or (lambda point: None),
            optimizer_kwargs=self.optimizer_kwargs,
        )
        values = [result[part] for part in self._packing_slices]
        session.run(self._var_updates, feed_dict=dict(zip(self._update_placeholders, values)), **run_kwargs)

    def _minimize(
        self,
        initial_val: Any,
        loss_grad_func: Any,
        equality_funcs: Any,
        equality_grad_funcs: Any,
        inequality_funcs: Any,
        inequality_grad_funcs: Any,
        packed_bounds: Any,
        step_callback: Any,
        optimizer_kwargs: Any,
    ) -> Any:
        raise NotImplementedError(
            "To use ExternalOptimizerInterface, subclass from it and implement the _minimize() method."
        )

    def _bounds(self, var_to_bounds: Optional[Dict[Any, Any]]) -> Optional[List[Any]]:
        if var_to_bounds is None:
            return None
        by_name = {variable.name: bounds for variable, bounds in var_to_bounds.items()}
        packed: List[Any] = []
        for variable, shape in zip(self._vars, self._shapes):
            lower, upper = by_name.get(variable.name, (-np.inf, np.inf))
            packed += zip(np.broadcast_to(lower, shape).flat, np.broadcast_to(upper, shape).flat)
        return packed

    def _gradient(self, tensor: Any) -> Any:
        gradients = tf.gradients(tensor, self._vars)
        return _pack(
            [
                tf.zeros_like(variable) if gradient is None else gradient
                for gradient, variable in zip(gradients, self._vars)
            ]
        )

    def _function(
        self, tensors: List[Any], session: Any, feed_dict: Any, fetches: Any, callback: Optional[Callable[..., Any]]
    ) -> Callable[[Any], Any]:
        def evaluate(point: Any) -> Any:
            feed = {
                variable: point[part].reshape(shape)
                for variable, part, shape in zip(self._vars, self._packing_slices, self._shapes)
            }
            feed.update(feed_dict)
            values = session.run(tensors + fetches, feed_dict=feed)
            if callback is not None:
                callback(*values[len(tensors) :])
            return values[: len(tensors)]

        return evaluate


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Optimizes with scipy.optimize.minimize. `method` ("L-BFGS-B" by default) and `options` are passed on to it."""

    _DEFAULT_METHOD = "L-BFGS-B"

    def _minimize(
        self,
        initial_val: Any,
        loss_grad_func: Any,
        equality_funcs: Any,
        equality_grad_funcs: Any,
        inequality_funcs: Any,
        inequality_grad_funcs: Any,
        packed_bounds: Any,
        step_callback: Any,
        optimizer_kwargs: Any,
    ) -> Any:
        import scipy.optimize

        def loss_and_gradient(point: Any) -> Any:
            loss, gradient = loss_grad_func(point)
            return loss, gradient.astype("float64")

        def scalar(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
            # SLSQP of current SciPy versions requires float64.
            return lambda point: np.squeeze(function(point)[0]).astype("float64")

        constraints = [
            {"type": kind, "fun": scalar(function), "jac": scalar(gradient)}
            for kind, functions, gradients in (
                ("eq", equality_funcs, equality_grad_funcs),
                ("ineq", inequality_funcs, inequality_grad_funcs),
            )
            for function, gradient in zip(functions, gradients)
        ]
        options = dict(optimizer_kwargs)
        arguments = {
            "jac": True,
            "callback": step_callback,
            "method": options.pop("method", self._DEFAULT_METHOD),
            "constraints": constraints,
            "bounds": packed_bounds,
        }
        for name in arguments:
            if name in options:
                raise ValueError(
                    "Bounds must be set using the var_to_bounds argument"
                    if name == "bounds"
                    else "Optimizer keyword arg '{}' is set automatically and cannot be injected manually".format(name)
                )
        if arguments["method"] == "SLSQP":
            initial_val = initial_val.astype("float64")
        result = scipy.optimize.minimize(loss_and_gradient, initial_val, **dict(arguments, **options))
        tf.logging.info("Optimization terminated with: %s; objective %f", result.message, result.fun)
        return result["x"]


def _pack(tensors: Sequence[Any]) -> Any:
    return tf.concat([tf.reshape(tensor, [-1]) for tensor in tensors], axis=0)
