"""The last step of training, from steps and epochs."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.errors import ArgumentError
from legacy_towers.training.runs.setup import End, find_end
from legacy_towers.training.settings import TrainSettings, check_settings


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
    ids=["the job's epochs", "epochs", "remainder dropped", "one batch", "steps", "steps over many epochs"],
)
def test_find_end(settings, batch, end):
    assert find_end(job(), settings, batch) == end


def test_less_than_one_step_is_an_error():
    with pytest.raises(ArgumentError, match="2 epochs of 1,000 examples are less than one step of 2,001 examples"):
        find_end(job(), TrainSettings(epochs=2), 2001)


def test_check_settings_rejects_steps_and_epochs():
    with pytest.raises(ArgumentError, match="give --steps or --epochs, not both .1 and 1."):
        check_settings(TrainSettings(steps=1, epochs=1))
