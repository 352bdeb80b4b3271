"""Balanced, compared with a greedy distribution: the device of each variable."""
import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, DeviceError
from legacy_towers.towers import TowerOutput, replicate
from legacy_towers.variables import Balanced

THREE = ["/cpu:1", "/cpu:2", "/cpu:3"]
KINDS = pytest.mark.parametrize("kind", ["resource", "ref"])


def greedy_devices(sizes, devices):
    """Returns the index of the device for each size, and the devices' totals."""
    totals = np.zeros(devices, np.int64)
    devices_of = []
    for size in sizes:
        devices_of.append(int(np.argmin(totals)))  # argmin returns the first of equals
        totals[devices_of[-1]] += size
    return devices_of, totals


def make(shapes, strategy, kind="resource", dtypes=None):
    with tf.device(strategy.placer().for_tower("/cpu:7")):
        return [
            tf.get_variable(
                "v{}".format(number),
                shape,
                tf.float32 if dtypes is None else dtypes[number],
                initializer=tf.zeros_initializer(),
                use_resource=kind == "resource",
            )
            for number, shape in enumerate(shapes)
        ]


def places(made):
    return [tf.DeviceSpec.from_string(each.device).device_index - 1 for each in made]


SHAPES = {
    "one big": [[1000, 10], [5], [5], [5], [5], [5]],
    "all equal": [[4]] * 7,
    "growing": [[2 ** power] for power in range(9)],
    "shrinking": [[2 ** (9 - power)] for power in range(9)],
    "scalars and an empty one": [[], [], [0, 3], [], [2], []],
    "random": [[int(size)] for size in np.random.RandomState(1).randint(1, 1000, size=40)],
}


@KINDS
@pytest.mark.parametrize("shapes", list(SHAPES.values()), ids=list(SHAPES))
def test_each_variable_is_placed_on_the_device_with_the_fewest_bytes(shapes, kind):
    expected, totals = greedy_devices([4 * int(np.prod(shape)) for shape in shapes], 3)
    made = make(shapes, Balanced(THREE), kind)
    assert places(made) == expected
    on_device = np.zeros(3, np.int64)
    for each, place in zip(made, places(made)):
        on_device[place] += each.shape.num_elements() * 4
    np.testing.assert_array_equal(on_device, totals)


@KINDS
def test_bytes_are_counted_and_not_elements(kind):
    # 16 and 6 bytes, then 8: on the second device; by elements it would be on the first.
    made = make([[2], [3], [1]], Balanced(THREE[:2]), kind, [tf.float64, tf.float16, tf.float64])
    assert places(made) == [0, 1, 1]


@KINDS
def test_an_unknown_shape_counts_0_bytes(kind):
    with tf.device(Balanced(THREE).placer().for_tower("/cpu:7")):
        unknown = [
            tf.get_variable(
                "unknown{}".format(number),
                initializer=tf.placeholder_with_default(np.zeros([100], np.float32), shape),
                validate_shape=False,
                use_resource=kind == "resource",
            )
            for number, shape in enumerate([None, [None]])
        ]
        known = [tf.get_variable(name, [3], use_resource=kind == "resource") for name in "abc"]
    assert places(unknown) == [0, 0]
    assert places(known) == [0, 1, 2]


def test_variables_that_the_model_places_count_on_their_device():
    with tf.device(Balanced(THREE).placer().for_tower("/cpu:7")):
        with tf.device("/cpu:1"):
            own = tf.get_variable("own", [10])
        with tf.device("/cpu:9"):
            elsewhere = tf.get_variable("elsewhere", [1000])
        rest = [tf.get_variable(name, [10]) for name in "abc"]
    assert (own.device, elsewhere.device) == ("/device:CPU:1", "/device:CPU:9")
    assert places(rest) == [1, 2, 0]


def test_a_device_that_is_given_twice_is_one_device():
    made = make([[4], [4], [4], [4]], Balanced(["/cpu:1", "cpu:1", "/cpu:2"]))
    assert places(made) == [0, 1, 0, 1]


def test_the_placement_of_a_model_is_deterministic():
    strategy = Balanced(THREE)
    seen = []
    for _ in range(2):
        with tf.Graph().as_default():
            seen.append(places(make(SHAPES["random"], strategy)))
    assert seen[0] == seen[1]


def test_a_variable_is_counted_once_if_the_device_function_is_entered_again():
    device_function = Balanced(THREE).placer().for_tower("/cpu:7")
    with tf.device(device_function):
        first = tf.get_variable("first", [2])
        with tf.device(device_function):
            second = tf.get_variable("second", [5])
        rest = [tf.get_variable(name, [size]) for name, size in (("third", 7), ("fourth", 4), ("fifth", 1))]
    # Counted twice, `second` would change the device of the last one.
    assert places([first, second] + rest) == greedy_devices([8, 20, 28, 16, 4], 3)[0] == [0, 1, 2, 0, 1]


@KINDS
def test_later_towers_place_nothing_and_slots_are_on_the_device_of_their_variable(kind):
    def model_fn(batch, mode):
        hidden = tf.matmul(batch, tf.get_variable("a", [3, 8]))
        hidden = tf.matmul(hidden, tf.get_variable("b", [8, 2]))
        return TowerOutput(loss=tf.reduce_mean(hidden + tf.get_variable("c", [2]) * tf.get_variable("d", [2])))

    devices = ["/cpu:{}".format(index) for index in range(4)]
    towers = replicate(
        model_fn, [tf.ones([2, 3])] * 4, devices, Balanced(["/cpu:2", "/cpu:3"]), use_resource=kind == "resource"
    )
    expected, _ = greedy_devices([96, 64, 8, 8], 2)
    made = tf.trainable_variables()
    assert [each.op.name for each in made] == ["a", "b", "c", "d"]
    assert [tf.DeviceSpec.from_string(each.device).device_index - 2 for each in made] == expected == [0, 1, 1, 1]
    for optimizer in (tf.train.MomentumOptimizer(0.1, 0.9), tf.train.AdamOptimizer(0.1)):
        with tf.device("/cpu:1"):
            optimizer.minimize(sum(tower.loss for tower in towers))
        for variable in made:
            for slot in optimizer.get_slot_names():
                assert optimizer.get_slot(variable, slot).device == variable.device
    others = [each for each in tf.global_variables() if each.op.name in ("beta1_power", "beta2_power")]
    assert {each.device for each in others} == {made[0].device}


@pytest.mark.parametrize("devices", [[], (), "/cpu:0"], ids=repr)
def test_devices_must_be_a_list(devices):
    with pytest.raises(ArgumentError, match="pass a list of device strings"):
        Balanced(devices)


def test_an_invalid_device_is_reported_at_once():
    with pytest.raises(DeviceError, match="'/moon/3' is not a device string"):
        Balanced(["/cpu:0", "/moon/3"])


def test_a_repr_is_the_call():
    assert repr(Balanced(("/cpu:0", "/gpu:1"))) == "Balanced(['/cpu:0', '/gpu:1'])"
