"""The schedules. They compute in float64: float32 has no odd steps above 16,777,216."""
import math
import numbers
from typing import Any, Callable, Sequence

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.tensor_types import Tensor, Variable


def constant(step: Variable, rate: float, warmup: int = 0, warmup_from: float = 0.0) -> Tensor:
    """Keeps the learning rate at `rate`.

    Args:
      step: the global step: the number of steps before this one, an integer scalar.
      rate: the learning rate.
      warmup: steps in which the rate rises linearly to `rate`.
      warmup_from: the rate at which the warm-up begins.

    Returns:
      The learning rate of this step, a float32 scalar.

    Raises:
      ArgumentError: an argument is out of range.
    """
    return _schedule("constant", step, rate, warmup, warmup_from, lambda after: tf.fill([], _float64(rate)))


def piecewise(
    step: Variable, rates: Sequence[float], boundaries: Sequence[int], warmup: int = 0, warmup_from: float = 0.0
) -> Tensor:
    """Changes the learning rate at given steps: it is `rates[i + 1]` from global step `boundaries[i]` on.

    Args:
      step, warmup, warmup_from: as for `constant`.
      rates: one more than boundaries.
      boundaries: rising global steps.

    Returns:
      The learning rate of this step, a float32 scalar.

    Raises:
      ArgumentError: an argument is out of range.
    """
    rates, boundaries = list(rates), list(boundaries)
    if len(rates) != len(boundaries) + 1 or boundaries != sorted(set(boundaries)):
        message = "piecewise needs rising boundaries and one rate more, got rates={} and boundaries={}"
        raise ArgumentError(message.format(rates, boundaries))
    for rate in rates:
        _check_rate("a rate of piecewise", rate)

    def main(after: Tensor) -> Tensor:
        passed = tf.reduce_sum(tf.cast(after + warmup >= tf.constant(boundaries, tf.float64), tf.int32))
        return tf.gather(tf.constant(rates, tf.float64), passed)

    return _schedule("piecewise", step, rates[0], warmup, warmup_from, main)


def step_decay(
    step: Variable, rate: float, decay: float, every: int, warmup: int = 0, warmup_from: float = 0.0
) -> Tensor:
    """Multiplies the learning rate by `decay` after every `every` steps.

    Args:
      step, rate, warmup, warmup_from: as for `constant`.
      decay: the factor.
      every: steps from one multiplication to the next.

    Returns:
      The learning rate of this step, a float32 scalar.

    Raises:
      ArgumentError: an argument is out of range.
    """
    return _exponential("step_decay", step, rate, decay, every, warmup, warmup_from, tf.floor)


def exponential(
    step: Variable, rate: float, decay: float, every: int, warmup: int = 0, warmup_from: float = 0.0
) -> Tensor:
    """Lets the learning rate decay exponentially, by the factor `decay` in `every` steps.

    Args:
      step, rate, warmup, warmup_from: as for `constant`.
      decay: the factor.
      every: the steps in which the rate is multiplied by it.

    Returns:
      The learning rate of this step, a float32 scalar.

    Raises:
      ArgumentError: an argument is out of range.
    """
    return _exponential("exponential", step, rate, decay, every, warmup, warmup_from, tf.identity)


def polynomial(
    step: Variable, rate: float, steps: int, end: float = 0.0, power: float = 1.0, warmup: int = 0,
    warmup_from: float = 0.0,
) -> Tensor:
    """Lets the learning rate go from `rate` to `end` along a polynomial: linearly, for `power=1`.

    Args:
      step, rate, warmup, warmup_from: as for `constant`.
      steps: the global step from which on the rate is `end`.
      end: the last rate.
      power: the exponent.

    Returns:
      The learning rate of this step, a float32 scalar.

    Raises:
      ArgumentError: an argument is out of range.
    """
    _check_end("polynomial", steps, end, warmup)
    _check_above_zero("the power of polynomial", power)
    return _schedule(
        "polynomial", step, rate, warmup, warmup_from,
        lambda after: end + (rate - end) * tf.pow(1 - _share(after, steps - warmup), _float64(power)),
    )


def cosine(
    step: Variable, rate: float, steps: int, end: float = 0.0, warmup: int = 0, warmup_from: float = 0.0
) -> Tensor:
    """Lets the learning rate go from `rate` to `end` along half a cosine.

    Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts" (2017), without restarts.

    Args:
      step, rate, warmup, warmup_from: as for `constant`.
      steps: the global step from which on the rate is `end`.
      end: the last rate.

    Returns:
      The learning rate of this step, a float32 scalar.

    Raises:
      ArgumentError: an argument is out of range.
    """
    _check_end("cosine", steps, end, warmup)
    return _schedule(
        "cosine", step, rate, warmup, warmup_from, lambda after: _cosine(rate, end, _share(after, steps - warmup))
    )


def cosine_restarts(
    step: Variable, rate: float, steps: int, end: float = 0.0, factor: float = 1.0, decay: float = 1.0,
    warmup: int = 0, warmup_from: float = 0.0,
) -> Tensor:
    """Repeats `cosine`: each period is `factor` times as long as the one before, and begins at `decay` times its rate.

    Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts" (2017).

    Args:
      step, rate, warmup, warmup_from: as for `constant`.
      steps: the global step at which the first period ends.
      end: the rate that each period ends at.
      factor: at least 1.
      decay: the factor of the rates.

    Returns:
      The learning rate of this step, a float32 scalar.

    Raises:
      ArgumentError: an argument is out of range.
    """
    _check_end("cosine_restarts", steps, end, warmup)
    _check_above_zero("the decay of cosine_restarts", decay)
    if not factor >= 1:
        raise ArgumentError("the factor of cosine_restarts is {!r}: at least 1 is needed".format(factor))

    def main(after: Tensor) -> Tensor:
        periods = after / (steps - warmup)  # in lengths of the first
        # The small number: at a step where a period begins, rounding must not leave it in the one before.
        if factor == 1:
            number = tf.floor(periods + 1e-9)
            share = periods - number
        else:
            number = tf.floor(tf.math.log(1 + periods * (factor - 1)) / math.log(factor) + 1e-9)
            length = tf.pow(_float64(factor), number)
            share = (periods - (length - 1) / (factor - 1)) / length
        highest = rate * tf.pow(_float64(decay), number)
        return _cosine(highest, end, tf.clip_by_value(share, _float64(0), _float64(1)))

    return _schedule("cosine_restarts", step, rate, warmup, warmup_from, main)


def inverse_sqrt(step: Variable, rate: float, warmup: int, warmup_from: float = 0.0) -> Tensor:
    """Lets the learning rate fall with the inverse square root of the step, after a warm-up to `rate`.

        step n, from 1:   rate * n / warmup,   then   rate * sqrt(warmup / n)

    Vaswani et al., "Attention Is All You Need" (2017), where `rate` is (model size * warmup) ** -0.5.

    Args:
      step, rate, warmup_from: as for `constant`.
      warmup: at least 1.

    Returns:
      The learning rate of this step, a float32 scalar.

    Raises:
      ArgumentError: an argument is out of range.
    """
    _check_count("the warmup of inverse_sqrt", warmup, 1)
    return _schedule(
        "inverse_sqrt", step, rate, warmup, warmup_from, lambda after: rate * tf.sqrt(warmup / (after + warmup + 1))
    )


def _exponential(
    name: str, step: Variable, rate: float, decay: float, every: int, warmup: int, warmup_from: float,
    rounded: Callable[[Tensor], Tensor],
) -> Tensor:
    _check_above_zero("the decay of " + name, decay)
    _check_count("every of " + name, every, 1)
    return _schedule(
        name, step, rate, warmup, warmup_from, lambda after: rate * tf.pow(_float64(decay), rounded(after / every))
    )


def _schedule(
    name: str, step: Variable, rate: float, warmup: int, warmup_from: float, main: Callable[[Tensor], Tensor]
) -> Tensor:
    """Returns the rate of a step: of the warm-up, then `main` of the steps after it, a float64 scalar of at least 0."""
    _check_rate("the rate of " + name, rate)
    _check_rate("warmup_from of " + name, warmup_from)
    _check_count("the warmup of " + name, warmup, 0)
    with tf.name_scope(name + "_schedule"):
        before = tf.cast(tf.convert_to_tensor(step), tf.float64)
        value = main(tf.maximum(before - warmup, _float64(0)))
        if warmup:
            rising = warmup_from + (rate - warmup_from) * (before + 1) / warmup
            value = tf.where(before < warmup, rising, value)
        return tf.cast(value, tf.float32, name="learning_rate")


def _share(after: Tensor, steps: int) -> Tensor:
    return tf.minimum(after / steps, _float64(1))


def _cosine(rate: Any, end: float, share: Tensor) -> Tensor:
    return end + (rate - end) * 0.5 * (1 + tf.cos(math.pi * share))


def _float64(value: float) -> Tensor:
    return tf.constant(value, tf.float64)


def _check_rate(what: str, value: Any) -> None:
    if not isinstance(value, numbers.Real) or not 0 <= float(value) < math.inf:
        raise ArgumentError("{} is {!r}: a number of at least 0 is needed".format(what, value))


def _check_above_zero(what: str, value: Any) -> None:
    if not isinstance(value, numbers.Real) or not 0 < float(value) < math.inf:
        raise ArgumentError("{} is {!r}: a number above 0 is needed".format(what, value))


def _check_count(what: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise ArgumentError("{} is {!r}: a whole number of at least {} is needed".format(what, value, least))


def _check_end(name: str, steps: Any, end: Any, warmup: int) -> None:
    _check_count("steps of " + name, steps, 1)
    _check_rate("the end of " + name, end)
    if not steps > warmup:
        raise ArgumentError("steps of {} is {}, and its warm-up takes {}: more steps are needed".format(
            name, steps, warmup
        ))
