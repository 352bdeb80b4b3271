"""Figures of a few rounds: medians with intervals, and which of several candidates is truly faster than another.

Rounds are few (5 to 15), a machine drifts while they run, and now and then something else disturbs a turn. So:

- Candidates are compared round by round: what slows down a whole round slows down both, and cancels in their ratio.
- Ratios are taken as logarithms, medians instead of means, and the median absolute deviation instead of the standard
  deviation, so that one disturbed turn decides nothing. Corrections of the deviation for few values: C. Croux and
  P. J. Rousseeuw, "Time-efficient algorithms for two highly robust estimators of scale", COMPSTAT 1992.
- A deviation of 5 values is a poor estimate. The candidates of one comparison are measured on one machine, so their
  noise is pooled: the residuals of a table [candidates, rounds] after a median polish (J. W. Tukey, "Exploratory
  Data Analysis", 1977). A candidate that is noisier than the others keeps its own.
- m candidates compared at once get intervals of 1 - 0.05 / m each, so that in 95 of 100 comparisons all of them hold
  (O. J. Dunn, "Multiple comparisons among means", JASA 1961), if turns don't depend on each other. For simulated
  turns with an autocorrelation of 0.3, all of 4 intervals held in 82 of 100 comparisons only: the verdict therefore
  needs more than an interval that excludes 1.
"""
import math
from typing import Dict, Mapping, NamedTuple, Sequence, Tuple

import numpy as np

from legacy_towers.text.documented_fields import documented_fields

CONFIDENCE = 0.95
# The standard error of a median is this times that of a mean, for normal values.
_MEDIAN_FACTOR = math.sqrt(math.pi / 2)
_NORMAL = 1.4826  # median absolute deviation -> standard deviation, for normal values
_FEW = {2: 1.196, 3: 1.495, 4: 1.363, 5: 1.206, 6: 1.200, 7: 1.140, 8: 1.129, 9: 1.107}


@documented_fields
class Interval(NamedTuple):
    """A median, and the interval that holds the true one with the confidence that was asked for.

    Attributes:
      median: the median.
      low: the lower end of the interval.
      high: the upper end.
    """

    median: float
    low: float
    high: float


def robust_deviation(values: Sequence[float]) -> float:
    """Returns an estimate of the standard deviation that ignores outliers: the corrected median absolute deviation."""
    array = np.asarray(values, np.float64)
    if len(array) < 2:
        return 0.0
    factor = _FEW.get(len(array), len(array) / (len(array) - 0.8))
    return float(_NORMAL * factor * np.median(np.abs(array - np.median(array))))


def median_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """Returns the median of `values` (one per round) and its interval; a single value is its own interval."""
    median = float(np.median(values))
    half = _half_width(robust_deviation(values), len(values), _degrees(len(values)), confidence)
    return Interval(median, median - half, median + half)


def ratio_interval(values: Sequence[float], others: Sequence[float], confidence: float = CONFIDENCE) -> Interval:
    """Returns the interval of values / others, paired by rounds."""
    return _exponential(median_interval(list(np.log(values) - np.log(others)), confidence))


def unpaired_ratio_interval(
    values: Sequence[float], others: Sequence[float], confidence: float = CONFIDENCE
) -> Interval:
    """Returns the interval of values / others that were measured in rounds of their own."""
    first, second = (median_interval(list(np.log(each)), confidence) for each in (values, others))
    # Widths of independent estimates add as squares.
    half = math.hypot(first.high - first.median, second.high - second.median)
    median = first.median - second.median
    return _exponential(Interval(median, median - half, median + half))


def compare_all(
    figures: Mapping[str, Sequence[float]], baseline: str, confidence: float = CONFIDENCE
) -> Dict[str, Interval]:
    """Returns, for each candidate but the baseline, its ratio to the baseline; all intervals hold together.

    Args:
      figures: candidate -> one positive figure per round, in the order of the rounds, such as examples/s.
      baseline: one of the candidates.
    """
    names = list(figures)
    logs = np.log(np.array([figures[name] for name in names], np.float64))
    rounds = logs.shape[1]
    others = [name for name in names if name != baseline]
    if not others:
        return {}
    each = 1 - (1 - confidence) / len(others)
    pooled = math.sqrt(2) * _pooled_deviation(logs)
    degrees = _degrees(rounds) * (len(names) - 1)
    found = {}
    for name in others:
        ratios = logs[names.index(name)] - logs[names.index(baseline)]
        half = _half_width(*_deviation_of_pair(pooled, degrees, robust_deviation(ratios), rounds), each)
        median = float(np.median(ratios))
        found[name] = _exponential(Interval(median, median - half, median + half))
    return found


def student_quantile(probability: float, degrees: float) -> float:
    """Returns the quantile of Student's t distribution, for a probability from 0.5 to 1 and any positive `degrees`.

    By bisection of the distribution function, which is a regularized incomplete beta function: M. Abramowitz and
    I. A. Stegun, "Handbook of Mathematical Functions", 26.7.1 and 26.5.8 (the continued fraction).
    """
    low, high = 0.0, 1.0
    while _student_distribution(high, degrees) < probability and high < 1e12:
        high *= 2
    for _ in range(50):
        middle = (low + high) / 2
        if _student_distribution(middle, degrees) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _student_distribution(value: float, degrees: float) -> float:
    return 1 - _regularized_beta(degrees / (degrees + value * value), degrees / 2, 0.5) / 2


def _regularized_beta(x: float, a: float, b: float) -> float:
    if x <= 0 or x >= 1:
        return min(max(x, 0.0), 1.0)
    # The continued fraction converges quickly only on one side of the mean.
    if x > (a + 1) / (a + b + 2):
        return 1 - _regularized_beta(1 - x, b, a)
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(logarithm) / a / _continued_fraction(x, a, b)


def _continued_fraction(x: float, a: float, b: float, terms: int = 80) -> float:
    """The denominator 1 + d1 / (1 + d2 / (1 + ...)) of Abramowitz and Stegun 26.5.8, from its end."""
    value = 1.0
    for m in range(terms, 0, -1):
        half = m // 2
        if m % 2:
            d = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            d = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        value = 1 + d / value
    return value


def _degrees(values: int) -> float:
    # A median absolute deviation varies like a standard deviation of about half as many values: measured with 5 to 15
    # simulated normal rounds.
    return max(1.0, (values - 1) / 2)


def _deviation_of_pair(pooled: float, degrees: float, own: float, rounds: int) -> Tuple[float, int, float]:
    """Returns the larger deviation, the number of rounds, and its degrees of freedom.

    The part of a pair's variance above the pooled one is estimated from its own few rounds only: F. E. Satterthwaite,
    "An approximate distribution of estimates of variance components", Biometrics Bulletin 1946.
    """
    if own <= pooled:
        return pooled, rounds, degrees
    beyond = own ** 2 - pooled ** 2
    return own, rounds, own ** 4 / (pooled ** 4 / degrees + beyond ** 2 / _degrees(rounds))


def _half_width(deviation: float, values: int, degrees: float, confidence: float) -> float:
    if values < 2:
        return 0.0
    return student_quantile((1 + confidence) / 2, degrees) * _MEDIAN_FACTOR * deviation / math.sqrt(values)


def _pooled_deviation(table: np.ndarray) -> float:
    """Returns the standard deviation of the residuals of a table [candidates, rounds] after a median polish."""
    left = np.array(table)
    for _ in range(5):
        left -= np.median(left, axis=1, keepdims=True)
        left -= np.median(left, axis=0, keepdims=True)
    candidates, rounds = table.shape
    if candidates < 2 or rounds < 2:
        return 0.0
    lost = candidates * rounds / ((candidates - 1) * (rounds - 1))
    return float(_NORMAL * math.sqrt(lost) * np.median(np.abs(left)))


def _exponential(interval: Interval) -> Interval:
    return Interval(*(math.exp(min(value, 700.0)) for value in interval))
