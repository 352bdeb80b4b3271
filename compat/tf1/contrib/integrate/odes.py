"""odeint: the fifth-order Dormand-Prince method (dopri5) with adaptive steps."""
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

from legacy_towers.compat.versions import tf

# The Butcher tableau of Dormand and Prince: the times of evaluations, and the coefficients of the earlier derivatives.
_TIMES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_COEFFICIENTS = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
# The coefficients for the midpoint of a step, for interpolation (Shampine, 1986).
_MIDDLE = (
    6025192743 / 30085553152 / 2,
    0,
    51252292925 / 65400821598 / 2,
    -2691868925 / 45128329728 / 2,
    187940372067 / 1594534317056 / 2,
    -1776094331 / 19743644256 / 2,
    11237099 / 235043384 / 2,
)
# The difference of the fourth-order and fifth-order coefficients.
_ERROR = (
    1951 / 21600 - 35 / 384,
    0,
    22642 / 50085 - 500 / 1113,
    451 / 720 - 125 / 192,
    -12231 / 42400 - -2187 / 6784,
    649 / 6300 - 11 / 84,
    1 / 60,
)
_ORDER = 5


class _State(NamedTuple):
    """The state after a step.

    Attributes:
      y: the value at the time `end`.
      derivative: dy/dt at `end`.
      start: the start time of the last step.
      end: the end time of the last step.
      length: the length of the next step.
      polynomial: five coefficients, the highest power first, that interpolate y; x is 0 at `start` and 1 at `end`.
    """

    y: Any
    derivative: Any
    start: Any
    end: Any
    length: Any
    polynomial: List[Any]


class _History(NamedTuple):
    integrate_points: Any
    error_ratio: Any


class _Options(NamedTuple):
    first_step: Any
    safety: Any
    ifactor: Any
    dfactor: Any
    max_num_steps: Any


def odeint(
    func: Callable[[Any, Any], Any],
    y0: Any,
    t: Any,
    rtol: Any = 1e-6,
    atol: Any = 1e-12,
    method: Optional[str] = None,
    options: Optional[Dict[str, Any]] = None,
    full_output: bool = False,
    name: Optional[str] = None,
) -> Any:
    """Integrates dy/dt = func(y, t) with adaptive steps.

    Args:
      func: maps (y, t) to dy/dt, a tensor with the shape of y.
      y0: the value of y at t[0], float or complex, of any shape.
      t: [times], strictly increasing; float64 unless it is a tensor.
      rtol: the relative tolerance of the error of each element.
      atol: the absolute tolerance of the error of each element.
      method: None or "dopri5".
      options: first_step (1.0), safety (0.9), ifactor (10.0), dfactor (0.2) and max_num_steps (1000, between two times
        of `t`); needs `method`.
      full_output: whether to return statistics too.
      name: the name of the operations.

    Returns:
      [times] + the shape of y0, the values of y at the times `t`; with `full_output`, a tuple of these and a dict with
      num_func_evals, integrate_points and error_ratio.

    Raises:
      ValueError: `method` is unknown, or `options` are given without it.
      TypeError: a dtype is not a floating point dtype, or an option is unknown.
    """
    if method is not None and method != "dopri5":
        raise ValueError("invalid method: {!r}".format(method))
    if options is not None and method is None:
        raise ValueError("cannot supply `options` without specifying `method`")
    with tf.name_scope(name, "odeint", [y0, t, rtol, atol]) as scope:
        y0 = tf.convert_to_tensor(y0, name="y0")
        t = tf.convert_to_tensor(t, preferred_dtype=tf.float64, name="t")
        check_dtypes(y0, t)
        real_dtype = tf.abs(y0).dtype
        rtol = tf.convert_to_tensor(rtol, dtype=real_dtype, name="rtol")
        atol = tf.convert_to_tensor(atol, dtype=real_dtype, name="atol")
        solver = _Solver(func, rtol, atol, _options(t.dtype, **(options or {})))
        solution, history = solver.solve(y0, t)
        solution = tf.identity(solution, name=scope)
        solution.set_shape(t.shape.concatenate(y0.shape))
    if not full_output:
        return solution
    points = history.integrate_points.stack()
    return solution, {
        "num_func_evals": 6 * tf.size(points) + 1,
        "integrate_points": points,
        "error_ratio": history.error_ratio.stack(),
    }


def check_dtypes(y0: Any, t: Any, dt: Any = None) -> None:
    """Raises TypeError if a dtype is not a floating point (y0: or complex) dtype."""
    if not (y0.dtype.is_floating or y0.dtype.is_complex):
        raise TypeError("`y0` must have a floating point or complex floating point dtype")
    for name, times in (("t", t), ("dt", dt)):
        if times is not None and not times.dtype.is_floating:
            raise TypeError("`{}` must have a floating point dtype".format(name))


def assert_increasing(t: Any) -> Any:
    """Returns an operation that fails if `t` is not strictly increasing."""
    return tf.Assert(tf.reduce_all(t[1:] > t[:-1]), ["`t` must be monotonic increasing"])


def _options(
    dtype: Any,
    first_step: Any = None,
    safety: Any = 0.9,
    ifactor: Any = 10.0,
    dfactor: Any = 0.2,
    max_num_steps: Any = 1000,
) -> _Options:
    numbers = [1.0 if first_step is None else first_step, safety, ifactor, dfactor]
    tensors = [tf.convert_to_tensor(number, dtype=dtype) for number in numbers]
    return _Options(*(tensors + [tf.convert_to_tensor(max_num_steps, dtype=tf.int32)]))


class _Solver:
    def __init__(self, func: Callable[[Any, Any], Any], rtol: Any, atol: Any, options: _Options) -> None:
        self._func = func
        self._rtol = rtol
        self._atol = atol
        self._options = options

    def solve(self, y0: Any, t: Any) -> Any:
        """Returns (y at the times `t`, the _History of all steps)."""
        with tf.control_dependencies([assert_increasing(t)]):
            number = tf.size(t)
        found = tf.TensorArray(y0.dtype, size=number).write(0, y0)
        history = _History(
            tf.TensorArray(t.dtype, size=0, dynamic_size=True),
            tf.TensorArray(self._rtol.dtype, size=0, dynamic_size=True),
        )
        state = _State(y0, self._func(y0, t[0]), t[0], t[0], self._options.first_step, [y0] * 5)

        def next_time(found: Any, history: _History, state: _State, index: Any) -> Any:
            state, history, _ = tf.while_loop(
                lambda state, *_: t[index] > state.end, self._step, (state, history, 0), name="integrate_loop"
            )
            return found.write(index, _interpolate(state, t[index])), history, state, index + 1

        found, history, _, _ = tf.while_loop(
            lambda _found, _history, _state, index: index < number,
            next_time,
            (found, history, state, 1),
            name="interpolate_loop",
        )
        return found.stack(), history

    def _step(self, state: _State, history: _History, steps: Any) -> Any:
        """Computes a step, accepts it if its error is below the tolerance, and sets the length of the next step."""
        y, start, length = state.y, state.end, state.length
        checks = [
            tf.Assert(start + length > start, ["underflow in dt", length]),
            tf.Assert(steps < self._options.max_num_steps, ["max_num_steps exceeded"]),
            tf.Assert(tf.reduce_all(tf.is_finite(tf.abs(y))), ["non-finite values in state `y`", y]),
        ]
        with tf.control_dependencies(checks):
            y = tf.identity(y)
        step_size = tf.cast(length, y.dtype)
        derivatives = [state.derivative]
        for time, parts in zip(_TIMES, _COEFFICIENTS):
            reached = y + _sum_of(step_size, parts, derivatives)
            derivatives.append(self._func(reached, start + time * length))
        error = _sum_of(step_size, _ERROR, derivatives)
        allowed = self._atol + self._rtol * tf.maximum(tf.abs(y), tf.abs(reached))
        ratio = tf.sqrt(tf.reduce_mean(_squared(error) / tf.square(allowed)))
        is_accepted = ratio <= 1
        new = _State(
            tf.cond(is_accepted, lambda: reached, lambda: y),
            tf.cond(is_accepted, lambda: derivatives[-1], lambda: state.derivative),
            start,
            tf.cond(is_accepted, lambda: start + length, lambda: start),
            self._next_length(length, ratio),
            tf.cond(is_accepted, lambda: _polynomial(y, reached, derivatives, step_size), lambda: state.polynomial),
        )
        history = _History(
            history.integrate_points.write(history.integrate_points.size(), start + length),
            history.error_ratio.write(history.error_ratio.size(), ratio),
        )
        return new, history, steps + 1

    def _next_length(self, length: Any, ratio: Any) -> Any:
        options = self._options
        power = tf.cast(ratio, length.dtype) ** tf.cast(1 / _ORDER, length.dtype)
        return length / tf.maximum(1 / options.ifactor, tf.minimum(power / options.safety, 1 / options.dfactor))


def _sum_of(scale: Any, numbers: Sequence[float], tensors: Sequence[Any]) -> Any:
    return tf.add_n([(scale * number) * tensor for number, tensor in zip(numbers, tensors) if number != 0])


def _squared(x: Any) -> Any:
    return tf.square(tf.real(x)) + tf.square(tf.imag(x)) if x.dtype.is_complex else tf.square(x)


def _polynomial(before: Any, after: Any, derivatives: Sequence[Any], step_size: Any) -> List[Any]:
    """Returns the coefficients of a fourth-order polynomial: values and slopes at both ends, value in the middle."""
    middle = before + _sum_of(step_size, _MIDDLE, derivatives)
    first, last = derivatives[0], derivatives[-1]
    known = [first, last, before, after, middle]

    def of(*factors: Any) -> Any:
        return tf.add_n([factor * each for factor, each in zip(factors, known)])

    return [
        of(-2 * step_size, 2 * step_size, -8, -8, 16),
        of(5 * step_size, -3 * step_size, 18, 14, -32),
        of(-4 * step_size, step_size, -11, -5, 16),
        step_size * first,
        before,
    ]


def _interpolate(state: _State, time: Any) -> Any:
    inside = tf.Assert(
        (state.start <= time) & (time <= state.end),
        ["invalid interpolation, fails `t0 <= t <= t1`:", state.start, time, state.end],
    )
    dtype = state.polynomial[0].dtype
    with tf.control_dependencies([inside]):
        x = tf.cast((time - state.start) / (state.end - state.start), dtype)
    powers = [tf.constant(1, dtype), x]
    for _ in range(3):
        powers.append(powers[-1] * x)
    return tf.add_n([factor * power for factor, power in zip(state.polynomial, reversed(powers))])
