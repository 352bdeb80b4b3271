"""Where training ends: the arithmetic of steps and epochs."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.errors import ArgumentError
from legacy_towers.training.settings import End, TrainSettings, find_end


def job(examples=1000, epochs=3):
    return lt.Job(model_fn=None, train=lt.Examples.from_arrays(np.zeros(examples)), optimizer=None, epochs=epochs)


@pytest.mark.parametrize(
    "settings, batch, end",
    [
        (TrainSettings(), 100, End(30, "3 epochs of 1,000 examples")),
        (TrainSettings(epochs=1), 100, End(10, "1 epoch of 1,000 examples")),
        (TrainSettings(epochs=2), 333, End(6, "2 epochs of 1,000 examples")),
        (TrainSettings(epochs=2), 2000, End(1, "2 epochs of 1,000 examples")),
        (TrainSettings(steps=7), 333, End(7, "")),
        (TrainSettings(steps=7), 5000, End(7, "")),
    ],
    ids=["the job's epochs", "epochs", "a rest is left out", "all at once", "steps", "steps over many epochs"],
)
def test_end(settings, batch, end):
    assert find_end(job(), settings, batch) == end


@pytest.mark.parametrize(
    "settings, message",
    [
        (TrainSettings(steps=1, epochs=1), "give --steps or --epochs, not both"),
        (TrainSettings(epochs=2), "2 epochs of 1,000 examples are less than one step of 2,001 examples"),
    ],
)
def test_no_end(settings, message):
    with pytest.raises(ArgumentError, match=message):
        find_end(job(), settings, 2001)
