"""The staleness of a tower's updates: in a sentence, and in a fixed amount of memory."""
import numpy as np

from legacy_towers.update.staleness import StalenessCounts


def test_what_is_counted():
    counts = StalenessCounts()
    late = [0, 3, 3, 64, 63, 1000, 7] + [1] * 1000
    for each in late:
        counts.note(each)
    told = counts.summary(2)
    assert (told.tower, told.updates, told.most) == (2, 1007, 1000)
    np.testing.assert_allclose(told.mean, np.mean(late))
    histogram = np.bincount(np.minimum(late, 64), minlength=65)
    assert told.histogram == tuple(histogram)
    assert str(told) == "tower 2: 1,007 updates, staleness 2.1 on average, 1,000 at most"


def test_nothing_yet():
    told = StalenessCounts().summary(0)
    assert (told.updates, told.mean, told.most, sum(told.histogram)) == (0, 0.0, 0, 0)
    assert str(told) == "tower 0: 0 updates, staleness 0.0 on average, 0 at most"
