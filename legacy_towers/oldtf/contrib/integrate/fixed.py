"""odeint_fixed: steps of given lengths, by Runge and Kutta's method of fourth order or by midpoints."""
from typing import Any, Callable, Optional

from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.integrate.odes import check_dtypes, rising

_Slope = Callable[[Any, Any], Any]


def odeint_fixed(
    func: _Slope, y0: Any, t: Any, dt: Any = None, method: str = "rk4", name: Optional[str] = None
) -> Any:
    """Returns y of dy/dt = func(y, t) at the times `t`, where y is `y0` at t[0]: [times] + the shape of y0.

    Args:
      func: (y, t) -> the slope of y, of its shape.
      t: [times], rising; float64 unless it is a tensor.
      dt: the longest step, one number or one for each interval of `t`; None: one step for each.
      method: "rk4" or "midpoint".

    Raises:
      ValueError: an unknown method, or not as many `dt` as intervals.
      TypeError: a dtype that is none of floats.
    """
    with tf.name_scope(name, "odeint_fixed", [y0, t, dt]):
        t = tf.convert_to_tensor(t, preferred_dtype=tf.float64, name="t")
        y0 = tf.convert_to_tensor(y0, name="y0")
        intervals = t[1:] - t[:-1]
        longest = tf.convert_to_tensor(intervals if dt is None else dt, preferred_dtype=tf.float64, name="dt")
        check_dtypes(y0, t, longest)
        steps = tf.ceil(intervals / longest)
        lengths = intervals / steps
        if t.shape.ndims != 1 or lengths.shape.ndims != 1:
            raise ValueError("t must be a 1D tensor")
        if t.shape.as_list()[0] != lengths.shape.as_list()[0] + 1:
            raise ValueError("t and dt have incompatible lengths, must be N and N-1")
        if method not in _METHODS:
            raise ValueError("method not supported: {}".format(method))
        with tf.control_dependencies([rising(t)]), tf.name_scope(method):
            return _integrated(func, y0, t, lengths, tf.cast(steps, tf.int32), _METHODS[method])


def _integrated(func: _Slope, y0: Any, t: Any, lengths: Any, steps: Any, method: Callable[..., Any]) -> Any:
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


def _midpoint(func: _Slope, time: Any, length: Any, y: Any) -> Any:
    seconds = tf.cast(length, y.dtype)
    return seconds * func(y + func(y, time) * seconds / 2, time + length / 2)


def _rk4(func: _Slope, time: Any, length: Any, y: Any) -> Any:
    seconds, half = tf.cast(length, y.dtype), time + length / 2
    first = func(y, time)
    second = func(y + seconds * first / 2, half)
    third = func(y + seconds * second / 2, half)
    fourth = func(y + seconds * third, time + length)
    return tf.add_n([first, 2 * second, 2 * third, fourth]) * (seconds / 6)


_METHODS = {"midpoint": _midpoint, "rk4": _rk4}
