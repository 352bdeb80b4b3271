"""Medians, deviations and confidence intervals of simulated rounds."""
import numpy as np
import pytest

from legacy_towers.measure import statistics

# (probability, degrees of freedom) -> quantile, from printed tables of Student's t distribution
TABLE = {
    (0.975, 1): 12.706, (0.975, 4): 2.776, (0.975, 6): 2.447, (0.975, 30): 2.042,
    (0.95, 2): 2.920, (0.995, 4): 4.604, (0.995, 10): 3.169, (0.9995, 5): 6.869, (0.9, 120): 1.289,
}


@pytest.mark.parametrize("probability, degrees", sorted(TABLE))
def test_student_quantile_matches_printed_tables(probability, degrees):
    assert statistics.student_quantile(probability, degrees) == pytest.approx(TABLE[probability, degrees], abs=6e-4)


def test_student_quantile_matches_the_closed_form_for_one_and_two_degrees():
    for probability in (0.6, 0.9, 0.999):
        assert statistics.student_quantile(probability, 1) == pytest.approx(np.tan(np.pi * (probability - 0.5)))
        alpha = 4 * probability * (1 - probability)
        expected = 2 * (probability - 0.5) * np.sqrt(2 / alpha)
        assert statistics.student_quantile(probability, 2) == pytest.approx(expected)


@pytest.mark.parametrize("rounds", [5, 7, 10, 15])
def test_the_interval_of_a_median_covers_the_true_median(rounds):
    random = np.random.RandomState(rounds)
    draws = random.randn(600, rounds) * 3 + 100
    covered = 0
    for draw in draws:
        interval = statistics.median_interval(draw)
        assert interval.median == np.median(draw)
        covered += interval.low <= 100 <= interval.high
    # 0.95, with the standard deviation of 600 trials (0.009) and the effect of few rounds
    assert 0.92 <= covered / 600 <= 0.99


def test_the_deviation_ignores_an_outlier():
    values = [10.0, 10.1, 9.9, 10.05, 9.95, 10.02, 9.98]
    assert statistics.robust_deviation(values + [500.0]) < 0.2
    assert statistics.robust_deviation([3.0]) == 0.0
    assert statistics.median_interval([3.0]) == (3.0, 3.0, 3.0)


@pytest.mark.parametrize("rounds", [8, 9, 12])
def test_the_deviation_is_unbiased_for_normal_values(rounds):
    draws = np.random.RandomState(0).randn(4000, rounds) * 2
    assert np.mean([statistics.robust_deviation(draw) for draw in draws]) == pytest.approx(2, rel=0.04)


def test_drift_between_rounds_cancels_in_a_ratio():
    drift = np.array([1.0, 0.5, 0.7, 1.3, 0.2])
    interval = statistics.ratio_interval(300 * drift, 200 * drift)
    assert interval == pytest.approx((1.5, 1.5, 1.5))
    unpaired = statistics.unpaired_ratio_interval(300 * drift, 200 * drift)
    assert unpaired.low < 1 < 1.5 < unpaired.high


def test_widths_of_unpaired_intervals_add_as_squares():
    one, other = [90.0, 100.0, 110.0, 95.0, 105.0], [45.0, 50.0, 55.0, 47.0, 53.0]
    first, second = (statistics.median_interval(np.log(values)) for values in (one, other))
    unpaired = statistics.unpaired_ratio_interval(one, other)
    half = np.hypot(first.high - first.median, second.high - second.median)
    assert np.log(unpaired.high) == pytest.approx(np.log(2) + half)
    assert unpaired.median == pytest.approx(2)


def test_comparing_more_candidates_widens_the_intervals():
    random = np.random.RandomState(3)
    figures = {str(pipeline): list(np.exp(0.02 * random.randn(7))) for pipeline in range(13)}
    few = statistics.compare_all({name: figures[name] for name in ("0", "1", "2")}, "0")
    many = statistics.compare_all(figures, "0")
    each = statistics.compare_all(figures, "0", confidence=1 - 12 * 0.05)  # 0.05 for each of the twelve
    assert set(many) == set(figures) - {"0"} and set(few) == {"1", "2"}
    assert all(many[pipeline].high - many[pipeline].low > each[pipeline].high - each[pipeline].low for pipeline in many)


def test_compare_all_of_the_baseline_alone_is_empty():
    assert statistics.compare_all({"feed": [1.0] * 5}, "feed") == {}


def test_a_noisier_candidate_has_a_wider_interval():
    random = np.random.RandomState(0)
    figures = {str(pipeline): list(np.exp(0.01 * random.randn(9))) for pipeline in range(6)}
    figures["noisy"] = list(np.exp(0.3 * random.randn(9)))
    found = statistics.compare_all(figures, "0")
    widths = {pipeline: found[pipeline].high - found[pipeline].low for pipeline in found}
    assert widths.pop("noisy") > 3 * max(widths.values())


def test_a_noisier_baseline_does_not_cause_false_differences():
    random = np.random.RandomState(0)
    wrong = 0
    for _ in range(60):
        figures = {str(pipeline): list(np.exp(0.01 * random.randn(7))) for pipeline in range(11)}
        figures["noisy"] = list(np.exp(0.1 * random.randn(7)))
        found = statistics.compare_all(figures, "noisy")
        wrong += any(interval.low > 1.03 or interval.high < 1 / 1.03 for interval in found.values())
    # All intervals hold in 95 of 100 comparisons: 3 of 60 may fail.
    assert wrong <= 3
