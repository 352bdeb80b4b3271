"""Counts of a tower's staleness, and their summary as a sentence."""
import numpy as np

from legacy_towers.update.asynchronous_towers import StalenessCounts


def test_summary_counts_updates():
    counts = StalenessCounts()
    late = [0, 3, 3, 64, 63, 1000, 7] + [1] * 1000
    for each in late:
        counts.note(each)
    summary = counts.summary(2)
    assert (summary.tower, summary.updates, summary.most) == (2, 1007, 1000)
    np.testing.assert_allclose(summary.mean, np.mean(late))
    histogram = np.bincount(np.minimum(late, 64), minlength=65)
    assert summary.histogram == tuple(histogram)
    assert str(summary) == "tower 2: 1,007 updates, staleness 2.1 on average, 1,000 at most"


def test_summary_without_updates():
    summary = StalenessCounts().summary(0)
    assert (summary.updates, summary.mean, summary.most, sum(summary.histogram)) == (0, 0.0, 0, 0)
    assert str(summary) == "tower 0: 0 updates, staleness 0.0 on average, 0 at most"
