"""odeint_fixed: integration with fixed steps, by the fourth-order Runge-Kutta or the midpoint method."""
from typing import Any, Callable, Optional

from legacy_towers.compat.tf1.contrib.integrate.odes import assert_increasing, check_dtypes
from legacy_towers.compat.versions import tf

_Derivative = Callable[[Any, Any], Any]


def odeint_fixed(
    func: _Derivative, y0: Any, t: Any, dt: Any = None, method: str = "rk4", name: Optional[str] = None
) -> Any:
    """Integrates dy/dt = func(y, t) with fixed steps.

    Args:
      func: maps (y, t) to dy/dt, a tensor with the shape of y.
      y0: the value of y at t[0], float or complex.
      t: [times], strictly increasing; float64 unless it is a tensor.
      dt: the maximum step size, a scalar or [times - 1]; None takes one step per interval of `t`.
      method: "rk4" or "midpoint".
      name: the name of the operations.

    Returns:
      [times] + the shape of y0, the values of y at the times `t`.

    Raises:
      ValueError: `method` is unknown, or `t` and `dt` have incompatible shapes.
      TypeError: a dtype is not a floating point dtype.
    """
    with tf.name_scope(name, "odeint_fixed", [y0, t, dt]):
        t = tf.convert_to_tensor(t, preferred_dtype=tf.float64, name="t")
        y0 = tf.convert_to_tensor(y0, name="y0")
        intervals = t[1:] - t[:-1]
        max_step = tf.convert_to_tensor(intervals if dt is None else dt, preferred_dtype=tf.float64, name="dt")
        check_dtypes(y0, t, max_step)
        steps = tf.ceil(intervals / max_step)
        lengths = intervals / steps
        if t.shape.ndims != 1 or lengths.shape.ndims != 1:
            raise ValueError("t must be a 1D tensor")
        if t.shape.as_list()[0] != lengths.shape.as_list()[0] + 1:
            raise ValueError("t and dt have incompatible lengths, must be N and N-1")
        if method not in _METHODS:
            raise ValueError("method not supported: {}".format(method))
        with tf.control_dependencies([assert_increasing(t)]), tf.name_scope(method):
            return _integrated(func, y0, t, lengths, tf.cast(steps, tf.int32), _METHODS[method])


def _integrated(func: _Derivative, y0: Any, t: Any, lengths: Any, steps: Any, method: Callable[..., Any]) -> Any:
    number = tf.size(t)

    def interval(found: Any, y: Any, time: Any, index: Any) -> Any:
        length = lengths[index - 1]

        def step(y: Any, time: Any, done: Any) -> Any:
            return y + tf.cast(method(func, time, length, y), y.dtype), time + length, done + 1

        y, time, _ = tf.while_loop(lambda _y, _time, done: done < steps[index - 1], step, (y, time, 0))
        return found.write(index, y), y, time, index + 1

    found = tf.TensorArray(y0.dtype, number).write(0, y0)
    found = tf.while_loop(lambda _found, _y, _time, index: index < number, interval, (found, y0, t[0], 1))[0]
    found = found.stack()
    found.set_shape(t.shape.concatenate(y0.shape))
    return found


def _midpoint(func: _Derivative, time: Any, length: Any, y: Any) -> Any:
    step = tf.cast(length, y.dtype)
    return step * func(y + func(y, time) * step / 2, time + length / 2)


def _rk4(func: _Derivative, time: Any, length: Any, y: Any) -> Any:
    step, half = tf.cast(length, y.dtype), time + length / 2
    first = func(y, time)
    second = func(y + step * first / 2, half)
    third = func(y + step * second / 2, half)
    fourth = func(y + step * third, time + length)
    return tf.add_n([first, 2 * second, 2 * third, fourth]) * (step / 6)


_METHODS = {"midpoint": _midpoint, "rk4": _rk4}
