"""TensorFlow's collectives: the mean of numpy on every device, partial fetches, and group keys."""
import numpy as np
import pytest
from diagonals import diagonals
from odd_towers import OddTowers, assert_equal

from legacy_towers import gradients as reductions
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, DeviceError, TowerError

PLACES = {
    "2 towers": ["/cpu:0", "/cpu:1"],
    "3 towers": ["/cpu:0", "/cpu:1", "/cpu:2"],
    "4 towers": ["/cpu:0", "/cpu:1", "/cpu:2", "/cpu:3"],
    "4 towers on 2 devices": ["/cpu:0", "/cpu:1", "/cpu:1", "/device:CPU:0"],
    "2 towers on one device": ["/cpu:1", "cpu:1"],
    "1 tower": ["/cpu:1"],
}
COLLECTIVES = {"by itself": reductions.collective(), "bucketed": reductions.bucketed(reductions.collective())}
SUM = reductions.collective(combine="sum")


@pytest.mark.parametrize("places, how, copied", diagonals(2, sorted(PLACES), sorted(COLLECTIVES), [False, True]))
def test_the_mean(places, how, copied):
    towers = OddTowers(PLACES[places], copied)
    found = towers.run(towers.reduce(COLLECTIVES[how]))
    assert_equal(found, towers.combined())
    for results in found.values():
        assert all(np.array_equal(result, results[0]) for result in results)


@pytest.mark.parametrize("kind", ["numbers", "tensors"])
@pytest.mark.parametrize("weights", [[3, 1], [0, 5, 1], [2, 0, 0, 6]], ids=str)
def test_weights(weights, kind):
    towers = OddTowers(PLACES["{} towers".format(len(weights))])
    fed = [tf.placeholder(tf.int32, []) for _ in weights]
    reduced = towers.reduce(reductions.collective(), weights if kind == "numbers" else fed)
    for tensor in list(towers.feed):
        if weights[0] == 0 and tensor.device.endswith("CPU:0") and tensor.dtype.is_floating:
            towers.feed[tensor] = np.full_like(towers.feed[tensor], np.nan)
    found = towers.run(reduced, dict(zip(fed, weights)))
    assert_equal(found, towers.combined([weight / float(sum(weights)) for weight in weights]))


def test_weights_of_towers_on_one_device():
    towers = OddTowers(PLACES["4 towers on 2 devices"])
    found = towers.run(towers.reduce(reductions.collective(), [1, 0, 0, 2]))
    assert_equal(found, towers.combined([1 / 3.0, 0, 0, 2 / 3.0]))


@pytest.mark.parametrize("weights, counted", [(None, [1, 1, 1]), ([5, 0, 2], [1, 0, 1])], ids=["equal", "weighted"])
def test_the_sum(weights, counted):
    towers = OddTowers(PLACES["3 towers"])
    assert_equal(towers.run(towers.reduce(SUM, weights)), towers.combined(counted))


def test_all_weights_are_0():
    towers = OddTowers(PLACES["2 towers"])
    fed = [tf.placeholder(tf.int32, []) for _ in range(2)]
    found = towers.run(towers.reduce(reductions.collective(), fed), dict(zip(fed, [0, 0])))
    assert_equal(found, towers.combined([0, 0]))


def one_row(devices, home="/cpu:0", dtype=tf.float32, shape=(3,)):
    """Returns towers' gradients of one variable: k + 1 in tower k, on its device."""
    with tf.device(home):
        variable = tf.get_variable("v", shape, dtype, tf.zeros_initializer(), use_resource=True)
    pairs = []
    for index, device in enumerate(devices):
        with tf.device(device):
            pairs.append([(tf.fill(shape, tf.constant(index + 1.0, dtype)), variable)])
    return pairs


def session():
    return tf.Session(config=tf.ConfigProto(device_count={"CPU": 4}))


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64], ids=lambda dtype: dtype.name)
def test_every_floating_point_dtype(dtype):
    pairs = one_row(PLACES["4 towers"], dtype=dtype)
    (gradient,) = reductions.reduce_gradients(pairs, reductions.collective(), PLACES["4 towers"]).rows[0].gradients
    assert gradient.dtype == dtype
    with session() as running:
        assert running.run(tf.cast(gradient, tf.float64)).tolist() == [2.5] * 3


def test_dtypes_that_collectives_do_not_support():
    pairs = one_row(PLACES["2 towers"], dtype=tf.complex64)
    with pytest.raises(TowerError, match=r"collective\(\) can't sum 'v': it does not take complex64"):
        reductions.reduce_gradients(pairs, reductions.collective(), PLACES["2 towers"])


@pytest.mark.parametrize(
    "home, device",
    [("/cpu:0", 0), ("/cpu:2", 2), ("/device:CPU:3", 3), ("/job:localhost/replica:0/task:0/cpu:1", 1), ("", 0)],
)
def test_shared_variables_get_the_result_of_their_own_device(home, device):
    pairs = one_row(PLACES["4 towers"], home or None)
    row = reductions.reduce_gradients(pairs, reductions.collective(), PLACES["4 towers"]).rows[0]
    assert [each.device for each in row.gradients] == ["/device:CPU:{}".format(device)]
    assert (row.reduced_by, row.reduced_on, row.bucket) == ("collective", "/cpu:{}".format(device), None)


def test_a_variable_on_another_device_gets_a_result_of_its_own_process():
    devices = ["/job:worker/task:{}/cpu:{}".format(task, cpu) for task in range(2) for cpu in range(2)]
    pairs = one_row(devices, "/job:worker/task:1/device:GPU:0")
    row = reductions.reduce_gradients(pairs, reductions.collective(), devices).rows[0]
    assert row.reduced_on == "/job:worker/task:1/cpu:0"


def test_variables_of_each_tower_get_one_result_each():
    towers = OddTowers(PLACES["4 towers"], copied=True)
    rows = dict(zip(towers.SHAPES, towers.reduce(reductions.collective()).rows))
    assert [each.device for each in rows["matrix"].gradients] == ["/device:CPU:{}".format(k) for k in range(4)]
    assert (rows["matrix"].reduced_by, rows["matrix"].reduced_on) == ("collective", None)
    assert rows["sparse"].reduced_by == "concat" and rows["empty"].reduced_by == "add_n"


def test_towers_on_one_device_are_summed_there_first(fresh_graph):
    row = reductions.reduce_gradients(
        one_row(PLACES["4 towers on 2 devices"]), reductions.collective(), PLACES["4 towers on 2 devices"]
    ).rows[0]
    assert row.reduced_by == "add_n, collective"
    assert [op.get_attr("group_size") for op in fresh_graph.get_operations() if op.type == "CollectiveReduce"] == [2, 2]


def needed_for(tensor):
    """Returns all operations that a run of `tensor` runs."""
    found, waiting = set(), [tensor.op]
    while waiting:
        op = waiting.pop()
        if op not in found:
            found.add(op)
            waiting += [each.op for each in op.inputs] + list(op.control_inputs)
    return found


@pytest.mark.parametrize("copied", [False, True], ids=["shared", "copied"])
def test_a_result_can_be_fetched_alone(copied):
    """A group that is run partially would hang."""
    towers = OddTowers(PLACES["4 towers"], copied)
    rows = dict(zip(towers.SHAPES, towers.reduce(reductions.collective()).rows))
    for name in ("matrix", "matrix?"):
        for gradient in rows[name].gradients:
            group = [op for op in needed_for(gradient) if op.type == "CollectiveReduce"]
            assert len(group) == 4 and len({op.get_attr("instance_key") for op in group}) == 1
            with session() as running:
                np.testing.assert_allclose(running.run(gradient, towers.feed), towers.combined()[name], atol=1e-6)


@pytest.mark.parametrize("reduction", [reductions.collective(), SUM], ids=repr)
def test_sizes_that_change_to_zero(reduction):
    """The op of TF 2.x crashes on an empty tensor."""
    variable = tf.get_variable("v", shape=None, initializer=tf.zeros([1]), validate_shape=False)
    fed = [tf.placeholder(tf.float32, [None]) for _ in range(2)]
    towers = [[(gradient, variable)] for gradient in fed]
    (result,) = reductions.reduce_gradients(towers, reduction, PLACES["2 towers"]).rows[0].gradients
    with session() as running:
        for size in (3, 0, 0, 2):
            found = running.run(result, {fed[0]: np.arange(size), fed[1]: np.arange(size) + 2})
            assert found.tolist() == [(2 * k + 2) * (1 if reduction is SUM else 0.5) for k in range(size)]


def keys(graph, name):
    return [op.get_attr(name) for op in graph.get_operations() if op.type == "CollectiveReduce"]


def test_keys_are_unique_in_a_graph_and_the_same_in_each(fresh_graph):
    def build():
        pairs = one_row(PLACES["2 towers"])
        for devices in (PLACES["2 towers"], PLACES["2 towers"], ["/cpu:1", "/cpu:2"]):
            reductions.reduce_gradients(pairs, reductions.collective(), devices)

    build()
    groups, instances = keys(fresh_graph, "group_key"), keys(fresh_graph, "instance_key")
    assert groups[:4] == [groups[0]] * 4 and groups[4:] == [groups[4]] * 2 and groups[0] != groups[4]
    assert instances[::2] == instances[1::2] and len(set(instances)) == 3
    with tf.Graph().as_default() as other:
        build()
    assert (keys(other, "group_key"), keys(other, "instance_key")) == (groups, instances)


def test_two_reductions_in_one_graph():
    pairs = one_row(PLACES["2 towers"])
    rows = [
        reductions.reduce_gradients(pairs, reduction, devices).rows[0]
        for reduction, devices in [(reductions.collective(), ["/cpu:0", "/cpu:1"]), (SUM, ["/cpu:2", "/cpu:1"])]
    ]
    with session() as running:
        found = running.run([row.gradients[0] for row in rows])
    assert [each.tolist() for each in found] == [[1.5] * 3, [3.0] * 3]


def test_many_groups_run_on_one_thread():
    """A member that waits for the others must not block the only thread that could run them."""
    towers = [[], []]
    for index in range(60):
        variable = tf.get_variable("v{}".format(index), [index % 5 + 1], use_resource=True)
        for tower in range(2):
            with tf.device("/cpu:{}".format(tower)):
                towers[tower].append((tf.fill(variable.shape, float(index * tower)), variable))
    rows = reductions.reduce_gradients(towers, reductions.collective(), PLACES["2 towers"]).rows
    config = tf.ConfigProto(device_count={"CPU": 2}, inter_op_parallelism_threads=1)
    with tf.Session(config=config) as running:
        for _ in range(3):
            found = running.run([row.gradients[0] for row in rows])
    assert [each[0] for each in found] == [index / 2.0 for index in range(60)]


def test_a_gradient_of_one_tower_only_is_an_error():
    pairs = one_row(PLACES["2 towers"])
    pairs[1] = [(None, pairs[1][0][1])]
    with pytest.raises(TowerError, match="tower 1 has no gradient for 'v'"):
        reductions.reduce_gradients(pairs, reductions.collective(), PLACES["2 towers"])


@pytest.mark.parametrize(
    "devices, message",
    [
        (["/cpu:0", "/cpu"], "needs the towers' devices with type and index, such as '/gpu:0'; that of tower 1 is"),
        (["", "/cpu:1"], "that of tower 0 is ''"),
    ],
)
def test_devices_without_an_index_are_rejected(devices, message):
    with pytest.raises(DeviceError, match=message):
        reductions.reduce_gradients(one_row(PLACES["2 towers"]), reductions.collective(), devices)


def test_unsupported_combinations():
    with pytest.raises(ArgumentError, match="combine is 'max': allowed are 'mean', 'sum'"):
        reductions.collective(combine="max")


def test_a_collective_after_another_reduction_is_rejected():
    both = reductions.chain(reductions.mean(), reductions.collective())
    with pytest.raises(ArgumentError, match=r"collective\(\) comes after a reduction that has reduced"):
        reductions.reduce_gradients(one_row(PLACES["2 towers"]), both, PLACES["2 towers"])


def test_a_repr_is_the_call():
    assert repr(reductions.collective()) == "collective()" and repr(SUM) == "collective(combine='sum')"
