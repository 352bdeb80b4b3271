"""Bucketed gradients: the mean of numpy for any inner reduction, gradients outside buckets, and plan rows."""
import numpy as np
import pytest
from diagonals import diagonals
from odd_towers import OddTowers, assert_equal

from legacy_towers import gradients as reductions
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, TowerError

CPUS = ["/cpu:{}".format(index) for index in range(4)]
INSIDE = {
    "mean": reductions.mean(),
    "mean on the variable": reductions.mean(on="variable"),
    "tree": reductions.tree(),
    "collective": reductions.collective(),
}


@pytest.mark.parametrize(
    "sizes, inside, copied", diagonals(2, [(2, 100), (4, 1), (4, 4 * 1024 * 1024)], sorted(INSIDE), [False, True])
)
def test_the_mean(sizes, inside, copied):
    count, bucket_bytes = sizes
    towers = OddTowers(CPUS[:count], copied, homes=("/cpu:0", "/cpu:1"))
    reduced = towers.reduce(reductions.bucketed(INSIDE[inside], bucket_bytes))
    assert_equal(towers.run(reduced), towers.combined())


@pytest.mark.parametrize("kind", ["numbers", "tensors"])
def test_weights(kind):
    towers = OddTowers(CPUS[:3])
    fed = [tf.placeholder(tf.int32, []) for _ in range(3)]
    reduced = towers.reduce(reductions.bucketed(reductions.tree()), [5, 0, 3] if kind == "numbers" else fed)
    assert_equal(towers.run(reduced, dict(zip(fed, [5, 0, 3]))), towers.combined([5 / 8.0, 0, 3 / 8.0]))


def test_the_sum():
    towers = OddTowers(CPUS[:3])
    found = towers.run(towers.reduce(reductions.bucketed(reductions.sum())))
    assert_equal(found, towers.combined([1, 1, 1]))


def test_the_bucket_of_each_gradient():
    towers = OddTowers(CPUS[:2], homes=("/cpu:0", "/cpu:1"))
    rows = dict(zip(towers.SHAPES, towers.reduce(reductions.bucketed(bucket_bytes=100)).rows))
    # Of unknown size: 0 bytes. From the last to the first, by dtype and by device in turn.
    expected = {
        "double?": 0,  # float64 on /cpu:0
        "empty?": 1,  # float32 on /cpu:1
        "scalar?": 2,  # float32 on /cpu:0
        "long": 3,  # 800 bytes
        "sparse": None,
        "double scalar": 4,  # float64 on /cpu:1, 8 + 56 bytes
        "matrix?": 2,
        "double": 4,
        "cube": 2,
        "empty": 1,
        "idle": None,
        "matrix": 1,
        "scalar": 2,
    }
    assert {name: row.bucket for name, row in rows.items()} == expected
    assert rows["cube"].reduced_by == "add_n, bucketed (4 gradients, 28 bytes)" and rows["long"].reduced_by == "add_n"
    assert rows["sparse"].reduced_by == "concat" and rows["idle"].reduced_by == ""
    assert rows["cube"].reduced_on == rows["scalar"].reduced_on in CPUS[:2]
    assert [row.name for row in rows.values()] == [variable.op.name for variable in towers.variables.values()]


def test_there_is_one_sum_per_bucket_and_single_gradients_are_not_copied(fresh_graph):
    towers = OddTowers(CPUS[:2])
    before = set(fresh_graph.get_operations())
    towers.reduce(reductions.bucketed(bucket_bytes=100))
    made = [op.type for op in fresh_graph.get_operations() if op not in before]
    # float32 except "long", and float64; the two parts of the sparse one are concatenated; 9 + 3 gradients.
    assert made.count("AddN") == 3 and made.count("ConcatV2") == 2 * 2 + 2 and made.count("SplitV") == 2


def test_static_shapes_are_kept():
    towers = OddTowers(CPUS[:2])
    for name, row in zip(towers.SHAPES, towers.reduce(reductions.bucketed()).rows):
        if name not in ("sparse", "idle"):
            static = tf.TensorShape(None if name.endswith("?") else towers.SHAPES[name])
            assert str(row.gradients[0].shape) == str(static), name


@pytest.mark.parametrize("copied, devices", [(False, [1]), (True, [0, 1, 2])], ids=["shared", "copied"])
def test_the_bucket_is_transferred_as_a_whole(copied, devices):
    """It is split where the result is needed: on the variables' device, or on each tower's."""
    towers = OddTowers(CPUS[:3], copied, homes=("/cpu:1",))
    rows = dict(zip(towers.SHAPES, towers.reduce(reductions.bucketed(reductions.mean(on="/cpu:2"))).rows))
    found = [gradient.op.inputs[0].op for gradient in rows["cube"].gradients]
    assert [op.type for op in found] == ["SplitV"] * len(devices)
    assert [op.device for op in found] == ["/device:CPU:{}".format(device) for device in devices]


def test_gradients_of_one_tower_are_not_bucketed():
    towers = OddTowers(CPUS[:1])
    reduced = towers.reduce(reductions.bucketed())
    for row, (gradient, _) in zip(reduced.rows, towers.tower_grads[0]):
        assert row.gradients[0] is gradient and row.bucket is None


def test_sizes_may_change_between_steps():
    towers = [[], []]
    fed = [tf.placeholder(tf.float32, [None]) for _ in range(4)]
    for name, of_towers in [("a", fed[:2]), ("b", fed[2:])]:
        variable = tf.get_variable(name, shape=None, initializer=tf.zeros([1]), validate_shape=False)
        for tower, gradient in enumerate(of_towers):
            towers[tower].append((gradient, variable))
    for inside in (reductions.mean(), reductions.collective()):
        rows = reductions.reduce_gradients(towers, reductions.bucketed(inside), CPUS[:2]).rows
        with tf.Session(config=tf.ConfigProto(device_count={"CPU": 4})) as session:
            for sizes in [(3, 2), (0, 5), (0, 0), (1, 0)]:
                values = [np.arange(sizes[0]), np.arange(sizes[0]) + 2, np.arange(sizes[1]), np.arange(sizes[1]) + 4]
                a, b = session.run([row.gradients[0] for row in rows], dict(zip(fed, values)))
                assert a.tolist() == (np.arange(sizes[0]) + 1).tolist()
                assert b.tolist() == (np.arange(sizes[1]) + 2).tolist()


def test_the_error_for_a_gradient_of_one_tower_only_names_it():
    towers = OddTowers(CPUS[:2])
    pairs = towers.tower_grads[1]
    position = list(towers.SHAPES).index("matrix")
    pairs[position] = (None, pairs[position][1])
    with pytest.raises(TowerError, match="tower 1 has no gradient for 'matrix'"):
        towers.reduce(reductions.bucketed())


class Clipping(reductions.Reduction):
    """A reduction that does not reduce towers."""

    def update(self, gradients, state):
        return gradients

    def __repr__(self):
        return "clipping()"


@pytest.mark.parametrize(
    "make, message",
    [
        (
            lambda: reductions.bucketed(bucket_bytes=0),
            "bucket_bytes is 0: it must be an integer number of bytes, at least 1",
        ),
        (lambda: reductions.bucketed(bucket_bytes=1.5), "bucket_bytes is 1.5"),
        (lambda: reductions.bucketed(bucket_bytes=True), "bucket_bytes is True"),
        (lambda: reductions.bucketed("mean"), r"'mean' can't be inside bucketed\(\): pass the one reduction"),
        (
            lambda: reductions.bucketed(reductions.chain(Clipping(), reductions.mean())),
            r"chain\(clipping\(\), mean\(\)\) can't be inside bucketed",
        ),
        (
            lambda: OddTowers(CPUS[:2]).reduce(reductions.bucketed(Clipping())),
            r"bucketed\(clipping\(\)\): the wrapped reduction must reduce the towers' gradients to one",
        ),
        (
            lambda: OddTowers(CPUS[:2]).reduce(reductions.chain(reductions.mean(), reductions.bucketed())),
            r"mean\(\) comes after a reduction that has reduced the towers' gradients to one",
        ),
    ],
    ids=["0 bytes", "half bytes", "bool", "text", "chain", "not reducing", "after another reduction"],
)
def test_invalid_arguments(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


@pytest.mark.parametrize(
    "reduction, text",
    [
        (reductions.bucketed(), "bucketed(mean())"),
        (reductions.bucketed(reductions.tree(), 1000), "bucketed(tree(), bucket_bytes=1000)"),
        (reductions.bucketed(reductions.compressed()), "bucketed(compressed(mean()))"),
    ],
    ids=["default", "bytes", "nested"],
)
def test_a_repr_is_the_call(reduction, text):
    assert repr(reduction) == text


def test_regularization_is_added_once():
    """As without buckets: a mean adds it once, a sum once per tower."""
    assert not reductions.bucketed().traits.needs_regularization and not reductions.bucketed().traits.sums
    assert reductions.bucketed(reductions.sum()).traits.sums
