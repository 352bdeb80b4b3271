"""`run --towers N --keep global` computes the numbers of one device, on scripts of all input kinds."""
import os

import numpy as np
import pytest
from replication import one_device
from replication.running import run

# LEGACY_TOWERS_ALL_TOWERS=1 runs each script on 2 and on 4 towers, which takes twice as long.
ALL = "LEGACY_TOWERS_ALL_TOWERS" in os.environ
CASES = [(towers, function) for number, function in enumerate(one_device.SCRIPTS) for towers in (2, 4)
         if ALL or towers == (4 if number % 2 else 2)]


@pytest.fixture(scope="module")
def on_one_device(tmp_path_factory):
    known = {}

    def result(function):
        if function not in known:
            known[function] = run(function, tmp_path_factory.mktemp("one"))[0]
        return known[function]

    return result


def check_same(one, other):
    assert sorted(one) == sorted(other)
    for name, value in one.items():
        assert not isinstance(value, list) or len(value) == len(other[name]), name
        for left, right in zip(value, other[name]) if isinstance(value, list) else [(value, other[name])]:
            exact = np.asarray(left).dtype == np.float64 and name not in ("histograms", "summarized")
            bound = (1e-9 if exact else 2e-4) * max(np.abs(left).max() if np.size(left) else 0.0, 1e-3)
            np.testing.assert_allclose(right, left, rtol=0, atol=bound, err_msg=name)


@pytest.mark.needs_layers
@pytest.mark.parametrize("towers, function", CASES, ids=lambda value: getattr(value, "__name__", str(value)))
def test_keep_global_gives_the_numbers_of_one_device(towers, function, on_one_device, tmp_path):
    result, lines = run(function, tmp_path, towers)
    assert any("compared with one device" in line for line in lines), lines
    assert not any("not compared" in line for line in lines), lines
    check_same(on_one_device(function), result)
