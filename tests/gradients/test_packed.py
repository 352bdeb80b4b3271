"""Packed gradients: the mean of numpy whatever is inside, what is not packed, and what the rows tell."""
import numpy as np
import pytest
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


@pytest.mark.parametrize("copied", [False, True], ids=["shared", "copied"])
@pytest.mark.parametrize("inside", sorted(INSIDE))
@pytest.mark.parametrize("count, bucket_bytes", [(2, 100), (4, 1), (4, 4 * 1024 * 1024)])
def test_the_mean(count, bucket_bytes, inside, copied):
    towers = OddTowers(CPUS[:count], copied, homes=("/cpu:0", "/cpu:1"))
    reduced = towers.reduce(reductions.packed(INSIDE[inside], bucket_bytes))
    assert_equal(towers.run(reduced), towers.combined())


@pytest.mark.parametrize("kind", ["numbers", "tensors"])
def test_weights(kind):
    towers = OddTowers(CPUS[:3])
    fed = [tf.placeholder(tf.int32, []) for _ in range(3)]
    reduced = towers.reduce(reductions.packed(reductions.tree()), [5, 0, 3] if kind == "numbers" else fed)
    assert_equal(towers.run(reduced, dict(zip(fed, [5, 0, 3]))), towers.combined([5 / 8.0, 0, 3 / 8.0]))


def test_the_sum():
    towers = OddTowers(CPUS[:3])
    found = towers.run(towers.reduce(reductions.packed(reductions.sum())))
    assert_equal(found, towers.combined([1, 1, 1]))


def test_what_is_in_which_bucket():
    towers = OddTowers(CPUS[:2], homes=("/cpu:0", "/cpu:1"))
    rows = dict(zip(towers.SHAPES, towers.reduce(reductions.packed(bucket_bytes=100)).rows))
    # Of unknown size: 0 bytes. From the last to the first, by dtype and by home in turn.
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
    assert rows["cube"].how == "add_n, packed (4 gradients, 28 bytes)" and rows["long"].how == "add_n"
    assert rows["sparse"].how == "concat" and rows["idle"].how == ""
    assert rows["cube"].where == rows["scalar"].where in CPUS[:2]
    assert [row.name for row in rows.values()] == [variable.op.name for variable in towers.variables.values()]


def test_one_sum_per_bucket_and_no_copy_of_what_is_alone(fresh_graph):
    towers = OddTowers(CPUS[:2])
    before = set(fresh_graph.get_operations())
    towers.reduce(reductions.packed(bucket_bytes=100))
    made = [op.type for op in fresh_graph.get_operations() if op not in before]
    # float32 but for "long", and float64; the sparse one's two parts are joined; 9 + 3 gradients.
    assert made.count("AddN") == 3 and made.count("ConcatV2") == 2 * 2 + 2 and made.count("SplitV") == 2


def test_shapes_are_as_known_as_before():
    towers = OddTowers(CPUS[:2])
    for name, row in zip(towers.SHAPES, towers.reduce(reductions.packed()).rows):
        if name not in ("sparse", "idle"):
            static = tf.TensorShape(None if name.endswith("?") else towers.SHAPES[name])
            assert str(row.gradients[0].shape) == str(static), name


@pytest.mark.parametrize("copied, devices", [(False, [1]), (True, [0, 1, 2])], ids=["shared", "copied"])
def test_the_packed_one_travels(copied, devices):
    """It is cut up where the result is needed: on the variables' device, or on each tower's."""
    towers = OddTowers(CPUS[:3], copied, homes=("/cpu:1",))
    rows = dict(zip(towers.SHAPES, towers.reduce(reductions.packed(reductions.mean(on="/cpu:2"))).rows))
    found = [gradient.op.inputs[0].op for gradient in rows["cube"].gradients]
    assert [op.type for op in found] == ["SplitV"] * len(devices)
    assert [op.device for op in found] == ["/device:CPU:{}".format(device) for device in devices]


def test_one_tower_is_not_packed():
    towers = OddTowers(CPUS[:1])
    reduced = towers.reduce(reductions.packed())
    for row, (gradient, _) in zip(reduced.rows, towers.tower_grads[0]):
        assert row.gradients[0] is gradient and row.bucket is None


def test_sizes_that_change_from_step_to_step():
    towers = [[], []]
    fed = [tf.placeholder(tf.float32, [None]) for _ in range(4)]
    for name, of_towers in [("a", fed[:2]), ("b", fed[2:])]:
        variable = tf.get_variable(name, shape=None, initializer=tf.zeros([1]), validate_shape=False)
        for tower, gradient in enumerate(of_towers):
            towers[tower].append((gradient, variable))
    for inside in (reductions.mean(), reductions.collective()):
        rows = reductions.reduce_gradients(towers, reductions.packed(inside), CPUS[:2]).rows
        with tf.Session(config=tf.ConfigProto(device_count={"CPU": 4})) as session:
            for sizes in [(3, 2), (0, 5), (0, 0), (1, 0)]:
                values = [np.arange(sizes[0]), np.arange(sizes[0]) + 2, np.arange(sizes[1]), np.arange(sizes[1]) + 4]
                a, b = session.run([row.gradients[0] for row in rows], dict(zip(fed, values)))
                assert a.tolist() == (np.arange(sizes[0]) + 1).tolist()
                assert b.tolist() == (np.arange(sizes[1]) + 2).tolist()


def test_a_gradient_of_one_tower_only_is_an_error_that_names_it():
    towers = OddTowers(CPUS[:2])
    pairs = towers.tower_grads[1]
    position = list(towers.SHAPES).index("matrix")
    pairs[position] = (None, pairs[position][1])
    with pytest.raises(TowerError, match="tower 1 has no gradient for 'matrix'"):
        towers.reduce(reductions.packed())


class Clipping(reductions.Reduction):
    """Leaves towers apart."""

    def update(self, gradients, state):
        return gradients

    def __repr__(self):
        return "clipping()"


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: reductions.packed(bucket_bytes=0), "bucket_bytes is 0: it must be a whole number of bytes, above 0"),
        (lambda: reductions.packed(bucket_bytes=1.5), "bucket_bytes is 1.5"),
        (lambda: reductions.packed(bucket_bytes=True), "bucket_bytes is True"),
        (lambda: reductions.packed("mean"), r"'mean' can't be inside packed\(\): put there the one reduction"),
        (
            lambda: reductions.packed(reductions.chain(Clipping(), reductions.mean())),
            r"chain\(clipping\(\), mean\(\)\) can't be inside packed",
        ),
        (
            lambda: OddTowers(CPUS[:2]).reduce(reductions.packed(Clipping())),
            r"packed\(clipping\(\)\): the reduction inside must make the towers' gradients one",
        ),
        (
            lambda: OddTowers(CPUS[:2]).reduce(reductions.chain(reductions.mean(), reductions.packed())),
            r"mean\(\) stands behind a reduction that made the towers' gradients one already",
        ),
    ],
    ids=["no bytes", "half bytes", "true bytes", "text", "chain", "apart", "behind another"],
)
def test_bad_calls(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


@pytest.mark.parametrize(
    "reduction, text",
    [
        (reductions.packed(), "packed(mean())"),
        (reductions.packed(reductions.tree(), 1000), "packed(tree(), bucket_bytes=1000)"),
        (reductions.packed(reductions.compacted()), "packed(compacted(mean()))"),
    ],
    ids=["default", "bytes", "nested"],
)
def test_text(reduction, text):
    assert repr(reduction) == text


def test_what_is_added_once_is_added_once():
    """As without packing: a mean adds it once, a sum once per tower."""
    assert not reductions.packed().needs_whole and not reductions.packed().sums
    assert reductions.packed(reductions.sum()).sums
