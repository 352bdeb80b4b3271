"""The strategy Asynchronous: the inner strategy's devices and partitioner, and invalid inner strategies."""
import pytest

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.variables import Asynchronous, ParameterServer, RoundRobin, Strategy


class InTwo(ParameterServer):
    partitioner = staticmethod(lambda shape, dtype: [2] + [1] * (len(shape) - 1))


class OwnCopies(ParameterServer):
    copies = True


@pytest.mark.parametrize(
    "strategy, device, text",
    [
        (Asynchronous(), "/cpu:0", "Asynchronous(ParameterServer('/cpu:0'))"),
        (Asynchronous(ParameterServer("/cpu:1")), "/cpu:1", "Asynchronous(ParameterServer('/cpu:1'))"),
        (Asynchronous(variables=RoundRobin(["/cpu:2"])), "/cpu:2", "Asynchronous(RoundRobin(['/cpu:2']))"),
    ],
    ids=["default", "a device", "another strategy"],
)
def test_variables_are_on_the_devices_of_the_inner_strategy(strategy, device, text):
    assert isinstance(strategy, Strategy)
    assert (strategy.copies, strategy.updates, strategy.partitioner) == (False, "asynchronous", None)
    with tf.device(strategy.placer().for_tower("/cpu:3")):
        variable = tf.get_variable("w", [2], use_resource=True)
        other = tf.constant(1.0)
    assert tf.DeviceSpec.from_string(variable.device) == tf.DeviceSpec.from_string(device)
    assert tf.DeviceSpec.from_string(other.device) == tf.DeviceSpec.from_string("/cpu:3")
    assert repr(strategy) == text


def test_the_partitioner_is_that_of_the_inner_strategy():
    assert Asynchronous(InTwo()).partitioner((4, 3), tf.float32) == [2, 1]


@pytest.mark.parametrize(
    "inner",
    ["/cpu:0", Asynchronous(), OwnCopies()],
    ids=["not a strategy", "Asynchronous", "copies"],
)
def test_inner_strategies_that_do_not_place_shared_variables_are_rejected(inner):
    with pytest.raises(ArgumentError, match="pass a strategy that places shared variables"):
        Asynchronous(inner)
