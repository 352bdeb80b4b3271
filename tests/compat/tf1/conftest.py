"""Initial values and random numbers are the same in each run of a test."""
import random

import numpy as np
import pytest

from legacy_towers.compat import tf


@pytest.fixture(autouse=True)
def same_random_numbers(fresh_graph):
    random.seed(0)
    np.random.seed(0)
    tf.set_random_seed(0)
