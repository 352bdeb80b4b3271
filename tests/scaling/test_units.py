"""Bandwidths and times as options take them."""
import pytest

from legacy_towers.errors import ArgumentError
from legacy_towers.scaling import units


@pytest.mark.parametrize("function, text, value", [
    (units.bandwidth, "25Gbit", 3.125e9), (units.bandwidth, "100 Mbit/s", 12.5e6), (units.bandwidth, "1.5GB", 1.5e9),
    (units.bandwidth, "2MiB", 2.0**21), (units.seconds, "50us", 5e-5), (units.seconds, ".5ms", 5e-4),
    (units.seconds, "0s", 0.0),
])
def test_units_are_read(function, text, value):
    assert function(text, "--x") == pytest.approx(value)


@pytest.mark.parametrize("function, text", [
    (units.bandwidth, "25"), (units.bandwidth, "0Gbit"), (units.bandwidth, "-1Gbit"), (units.bandwidth, "25 gigabit"),
    (units.seconds, "50"), (units.seconds, "-5us"), (units.seconds, "nan ms"), (units.seconds, "5 minutes"),
])
def test_numbers_without_a_known_unit_are_refused(function, text):
    with pytest.raises(ArgumentError) as error:
        function(text, "--x")
    assert "--x is {!r}: it must be a ".format(text) in str(error.value)
