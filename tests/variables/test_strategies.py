"""Strategies: their devices, invalid arguments, and repr."""
import pytest

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, DeviceError
from legacy_towers.variables import LocalSGD, ParameterServer, Replicated, RoundRobin


@pytest.mark.parametrize("device", ["/cpu:0", "cpu:1", "/gpu", "/job:ps/task:1/cpu:0", "/device:GPU:3"])
@pytest.mark.parametrize("make", [ParameterServer, lambda device: RoundRobin(["/cpu:0", device])], ids=["ps", "turns"])
def test_valid_devices(make, device):
    assert repr(device) in repr(make(device))


BAD = [
    ("/cpu:x", "'/cpu:x' is not a device string"),
    ("/moon/3", "'/moon/3' is not a device string"),
    ("/cpu:-1", "'/cpu:-1' is not a device string"),
    (0, "0 is not a device string"),
    (None, "None is not a device string"),
]


@pytest.mark.parametrize("device, message", BAD, ids=str)
@pytest.mark.parametrize("make", [ParameterServer, lambda device: RoundRobin(["/cpu:0", device])], ids=["ps", "turns"])
def test_an_invalid_device_is_reported_at_once(make, device, message):
    with pytest.raises(DeviceError, match=message):
        make(device)


@pytest.mark.parametrize("devices", [[], (), "/cpu:0", 2], ids=repr)
def test_round_robin_needs_a_list(devices):
    with pytest.raises(ArgumentError, match="pass a list of device strings"):
        RoundRobin(devices)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Replicated(-1), r"check_every=-1"),
        (lambda: Replicated(True), r"check_every=True"),
        (lambda: LocalSGD(0), r"sync_every=0"),
        (lambda: LocalSGD(1.5), r"sync_every=1.5"),
    ],
)
def test_invalid_arguments(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


@pytest.mark.parametrize("text", ["Replicated()", "Replicated(check_every=100)", "LocalSGD(sync_every=8)"])
def test_a_repr_is_the_call(text):
    assert repr(eval(text)) == text


STRATEGIES = [
    (ParameterServer("/cpu:2"), ["/device:CPU:2"] * 4),
    (RoundRobin(["/cpu:1"]), ["/device:CPU:1"] * 4),
    (RoundRobin(["/cpu:1", "/cpu:2", "/cpu:3"]), ["/device:CPU:{}".format(index) for index in (1, 2, 3, 1)]),
    (RoundRobin(["/job:ps/task:0/cpu:0", "/job:ps/task:1/cpu:0"]),
     ["/job:ps/task:{}/device:CPU:0".format(task) for task in (0, 1, 0, 1)]),
]


@pytest.mark.parametrize("strategy, expected", STRATEGIES, ids=repr)
@pytest.mark.parametrize("kind", ["resource", "ref"])
def test_devices_of_variables(strategy, expected, kind):
    with tf.device(strategy.placer().for_tower("/cpu:7")):
        made = [tf.get_variable("v{}".format(index), [], use_resource=kind == "resource") for index in range(4)]
        other = tf.constant(1.0)
    assert [each.device for each in made] == expected
    assert other.device == "/device:CPU:7"


def test_each_placer_starts_with_the_first_device():
    strategy = RoundRobin(["/cpu:1", "/cpu:2"])
    for name in ("first", "second"):
        with tf.device(strategy.placer().for_tower("/cpu:0")):
            assert tf.get_variable(name, []).device == "/device:CPU:1"


def test_entering_the_device_function_again_does_not_advance_the_device():
    device_function = RoundRobin(["/cpu:1", "/cpu:2", "/cpu:3"]).placer().for_tower("/cpu:0")
    with tf.device(device_function), tf.device(device_function):
        made = [tf.get_variable(name, []) for name in "abc"]
    assert [each.device for each in made] == ["/device:CPU:{}".format(index) for index in (1, 2, 3)]
