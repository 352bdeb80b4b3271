"""What a strategy takes, which devices it deals out, and how it reads."""
import pytest

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, DeviceError
from legacy_towers.variables import Independent, ParameterServer, Replicated, RoundRobin


@pytest.mark.parametrize("device", ["/cpu:0", "cpu:1", "/gpu", "/job:ps/task:1/cpu:0", "/device:GPU:3"])
@pytest.mark.parametrize("make", [ParameterServer, lambda device: RoundRobin(["/cpu:0", device])], ids=["ps", "turns"])
def test_devices_that_are_taken(make, device):
    assert repr(device) in repr(make(device))


BAD = [
    ("/cpu:x", "'/cpu:x' is no device string"),
    ("/moon/3", "'/moon/3' is no device string"),
    ("/cpu:-1", "'/cpu:-1' is no device string"),
    (0, "0 is no device string"),
    (None, "None is no device string"),
]


@pytest.mark.parametrize("device, message", BAD, ids=str)
@pytest.mark.parametrize("make", [ParameterServer, lambda device: RoundRobin(["/cpu:0", device])], ids=["ps", "turns"])
def test_a_bad_device_is_named_at_once(make, device, message):
    with pytest.raises(DeviceError, match=message):
        make(device)


@pytest.mark.parametrize("devices", [[], (), "/cpu:0", 2], ids=repr)
def test_round_robin_takes_a_list(devices):
    with pytest.raises(ArgumentError, match="give a list of device strings"):
        RoundRobin(devices)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Replicated(-1), r"check_every=-1"),
        (lambda: Replicated(True), r"check_every=True"),
        (lambda: Independent(0), r"sync_every=0"),
        (lambda: Independent(1.5), r"sync_every=1.5"),
    ],
)
def test_bad_arguments(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


@pytest.mark.parametrize("text", ["Replicated()", "Replicated(check_every=100)", "Independent(sync_every=8)"])
def test_a_strategy_reads_like_the_call_that_made_it(text):
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
def test_where_variables_go(strategy, expected, kind):
    with tf.device(strategy.placer().for_tower("/cpu:7")):
        made = [tf.get_variable("v{}".format(index), [], use_resource=kind == "resource") for index in range(4)]
        other = tf.constant(1.0)
    assert [each.device for each in made] == expected
    assert other.device == "/device:CPU:7"


def test_each_placer_begins_anew():
    strategy = RoundRobin(["/cpu:1", "/cpu:2"])
    for name in ("first", "second"):
        with tf.device(strategy.placer().for_tower("/cpu:0")):
            assert tf.get_variable(name, []).device == "/device:CPU:1"


def test_entering_the_device_function_again_takes_no_second_turn():
    device_function = RoundRobin(["/cpu:1", "/cpu:2", "/cpu:3"]).placer().for_tower("/cpu:0")
    with tf.device(device_function), tf.device(device_function):
        made = [tf.get_variable(name, []) for name in "abc"]
    assert [each.device for each in made] == ["/device:CPU:{}".format(index) for index in (1, 2, 3)]
