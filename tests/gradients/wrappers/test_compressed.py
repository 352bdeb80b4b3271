"""Compressed gradients are within the documented bound of the mean, and transfers are in 16 bits."""
import numpy as np
import pytest
from odd_towers import OddTowers, assert_equal

from legacy_towers import gradients as reductions
from legacy_towers.compat import tf
from legacy_towers.compat.versions import collectives
from legacy_towers.errors import ArgumentError

CPUS = ["/cpu:{}".format(index) for index in range(4)]
UNITS = {tf.float16: 2.0**-11, tf.bfloat16: 2.0**-8}
dtypes = pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16], ids=lambda dtype: dtype.name)

# Inner reductions, and the documented number of roundings over 4 towers.
INSIDE = {
    "mean": (reductions.mean(), 2),
    "tree": (reductions.tree(), 3),
    "bucketed mean": (reductions.bucketed(reductions.mean(), 100), 2),
    "bucketed tree": (reductions.bucketed(reductions.tree()), 3),
    "collective": (reductions.collective(), 4.5),
    "bucketed collective": (reductions.bucketed(reductions.collective()), 4.5),
}


def skip_if_unsupported(inside, dtype):
    if "collective" in inside and not collectives.supports_sum(dtype):
        pytest.skip("TensorFlow {} has no collectives in 16 bits: refused, see below".format(tf.__version__))


@dtypes
@pytest.mark.parametrize(
    "inside, copied",
    [(inside, False) for inside in sorted(INSIDE)] + [("mean", True), ("bucketed tree", True), ("collective", True)],
)
def test_the_bound_of_the_mean(inside, copied, dtype):
    skip_if_unsupported(inside, dtype)
    reduction, roundings = INSIDE[inside]
    towers = OddTowers(CPUS, copied)
    found = towers.run(towers.reduce(reductions.compressed(reduction, dtype)))
    # In a sparse gradient up to 4 rows of a tower are one row of the variable, each with its own roundings.
    sparse = found.pop("sparse")
    expected = towers.combined()
    rows = expected.pop("sparse")
    assert_equal(found, expected, roundings * UNITS[dtype], towers.largest)
    assert_equal({"sparse": sparse}, {"sparse": rows}, 4 * roundings * UNITS[dtype], towers.largest)
    # The values were rounded to 16 bits: 200 numbers are not exact to 32 bits by chance.
    assert np.abs(found["long"][0] - expected["long"]).max() > UNITS[dtype] / 16


@dtypes
@pytest.mark.parametrize("kind", ["numbers", "tensors"])
def test_the_bound_with_weights(dtype, kind):
    towers = OddTowers(CPUS)
    fed = [tf.placeholder(tf.int32, []) for _ in range(4)]
    weights = [5, 0, 1, 3]
    reduced = towers.reduce(reductions.compressed(dtype=dtype), weights if kind == "numbers" else fed)
    found = towers.run(reduced, dict(zip(fed, weights)))
    assert_equal(
        {name: found[name] for name in found if name != "sparse"},
        {name: value for name, value in towers.combined([each / 9.0 for each in weights]).items() if name != "sparse"},
        3 * UNITS[dtype],
        towers.largest,
    )


@dtypes
def test_the_bound_of_the_sum(dtype):
    towers = OddTowers(CPUS[:2])
    found = towers.run(towers.reduce(reductions.compressed(reductions.sum(), dtype)))
    expected = towers.combined([1, 1])
    del found["sparse"], expected["sparse"]
    assert_equal(found, expected, 2 * 2 * UNITS[dtype], towers.largest)


def test_small_float16_numbers_have_an_absolute_bound():
    towers = OddTowers(CPUS[:2], scale=1e-6)
    found, expected = towers.run(towers.reduce(reductions.compressed())), towers.combined()
    del found["sparse"], expected["sparse"]
    for name, results in found.items():
        limit = 2 * UNITS[tf.float16] * towers.largest(name) + 2 * 2.0**-25
        assert np.all(np.abs(results[0] - expected[name]) <= limit), name
    assert np.abs(found["long"][0] - expected["long"]).max() > 2.0**-27  # subnormal numbers are rounded


def worst(values, reduction):
    """Returns the result of a reduction of one number per tower."""
    variable = tf.get_variable("v", [1], tf.float64, tf.zeros_initializer(), use_resource=True)
    fed = [tf.placeholder(tf.float64, [1]) for _ in values]
    towers = [[(gradient, variable)] for gradient in fed]
    row = reductions.reduce_gradients(towers, reduction, CPUS[: len(values)]).rows[0]
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 4})) as session:
        return float(session.run(row.gradients[0], dict(zip(fed, [[value] for value in values])))[0])


@pytest.mark.parametrize(
    "dtype, values, expected",
    [
        # 16 bits have 2048 and 2050; a number in the middle is rounded to the one whose last digit is even.
        (tf.float16, [2049.0, 2049.0], 2048.0),
        (tf.bfloat16, [257.0, 257.0], 256.0),
        # Summed in float32: in 16 bits, 2048 + 1 would be 2048.
        (tf.float16, [2048.0, 1.0, 1.0, 2.0], 513.0),
        (tf.bfloat16, [256.0, 1.0, 1.0, 2.0], 65.0),
        # The mean is finite, its sum in float16 is not.
        (tf.float16, [60000.0] * 4, 60000.0),
        (tf.float16, [65504.0, 65504.0], 65504.0),
        (tf.float16, [70000.0, 1.0], np.inf),
        (tf.bfloat16, [1e30, 3e30], 1.9964e30),
        (tf.float16, [2.0**-24, 2.0**-24], 2.0**-24),
        (tf.float16, [2e-8, 2e-8], 0.0),
    ],
)
def test_exact_numbers(dtype, values, expected):
    found = worst(values, reductions.compressed(dtype=dtype))
    assert found == expected or found == pytest.approx(expected, rel=2.0**-7 if expected == 1.9964e30 else 1e-9)


def test_scaling_brings_small_gradients_into_range():
    scale = reductions.scale
    within = reductions.chain(scale(8192.0), reductions.compressed(), scale(1 / 8192.0))
    assert worst([2e-8, 2e-8], within) == pytest.approx(2e-8, rel=2.0**-10)


def test_the_error_for_a_gradient_out_of_range_names_it():
    checked = reductions.chain(reductions.compressed(), reductions.check_numerics())
    with pytest.raises(tf.errors.InvalidArgumentError, match="v"):
        worst([70000.0, 1.0], checked)


@dtypes
def test_transfers_between_devices_are_in_16_bits(dtype, fresh_graph):
    """Checked on the edges of the graph between devices."""
    towers = OddTowers(CPUS)
    before = set(fresh_graph.get_operations())
    towers.reduce(reductions.compressed(reductions.bucketed(reductions.mean()), dtype))
    made = [op for op in fresh_graph.get_operations() if op not in before]
    crossing = {
        tensor.dtype
        for op in made
        for tensor in op.inputs
        if tensor.op.device != op.device and tensor.dtype.is_floating
    }
    assert crossing == {dtype}


@pytest.mark.parametrize("copied, devices", [(False, [1]), (True, [0, 1, 2])], ids=["shared", "copied"])
def test_results_are_cast_back_where_they_are_needed(copied, devices):
    """On the variables' device, or on each tower's: transfers to it are in 16 bits."""
    towers = OddTowers(CPUS[:3], copied, homes=("/cpu:1",))
    rows = dict(zip(towers.SHAPES, towers.reduce(reductions.compressed(reductions.mean(on="/cpu:2"))).rows))
    found = [gradient.op for gradient in rows["cube"].gradients]
    assert [op.type for op in found] == ["Cast"] * len(devices)
    assert [op.device for op in found] == ["/device:CPU:{}".format(device) for device in devices]
    assert {op.inputs[0].device for op in found} == {"/device:CPU:2"}


def test_16_bit_and_integer_gradients_are_not_cast():
    half = tf.get_variable("half", [2], tf.float16, tf.zeros_initializer(), use_resource=True)
    towers = [[(tf.ones([2], tf.float16), half)] for _ in range(2)]
    row = reductions.reduce_gradients(towers, reductions.compressed(dtype=tf.bfloat16), CPUS[:2]).rows[0]
    assert row.gradients[0].dtype == tf.float16 and row.reduced_by == "add_n"


def test_indices_of_sparse_gradients_are_not_cast():
    towers = OddTowers(CPUS[:2])
    reduced = towers.reduce(reductions.compressed())
    (slices,) = dict(zip(towers.SHAPES, reduced.rows))["sparse"].gradients
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 4})) as session:
        indices = session.run(slices.indices, towers.feed)
    assert indices.tolist() == towers.values[0]["sparse"][1].tolist() + towers.values[1]["sparse"][1].tolist()


def test_plan_rows():
    towers = OddTowers(CPUS[:2])
    inside = dict(zip(towers.SHAPES, towers.reduce(reductions.bucketed(reductions.compressed())).rows))
    rows = dict(zip(towers.SHAPES, towers.reduce(reductions.compressed(reductions.bucketed())).rows))
    assert (
        inside["matrix"].reduced_by == "add_n in float16, bucketed (8 gradients, 888 bytes)"
        and inside["matrix"].bucket == 1
    )
    assert inside["double"].reduced_by == "add_n in float16, bucketed (3 gradients, 64 bytes)"
    assert inside["double"].bucket == 0
    # Cast before they are bucketed, float32 and float64 share a bucket: 230 elements of known size.
    assert rows["matrix"].reduced_by == "add_n, bucketed (11 gradients, 460 bytes) in float16"
    assert rows["matrix"].bucket == rows["double"].bucket == 0


def test_one_tower_keeps_every_bit():
    towers = OddTowers(CPUS[:1])
    assert_equal(towers.run(towers.reduce(reductions.compressed())), towers.combined(), 0)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: reductions.compressed(dtype=tf.float32), "allowed are tf.float16 and tf.bfloat16"),
        (lambda: reductions.compressed(dtype="half a float"), "dtype is 'half a float': allowed are"),
        (lambda: reductions.compressed(dtype=None), "dtype is None: allowed are"),
        (lambda: reductions.compressed(tf.float16), r"tf.float16 can't be inside compressed\(\)"),
        (lambda: reductions.compressed(reductions.chain(reductions.mean())), r"chain\(mean\(\)\) can't be inside"),
        (
            lambda: reductions.compressed(reductions.bucketed(reductions.nccl()), tf.bfloat16),
            r"nccl\(\) can't sum bfloat16 in TensorFlow .*: use another dtype, or wrap lt.gradients.mean\(\)",
        ),
    ],
    ids=["float32", "unknown", "None", "dtype as reduction", "chain", "nccl"],
)
def test_invalid_arguments(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


@dtypes
def test_collectives_without_16_bit_sums_are_rejected(dtype):
    if collectives.supports_sum(dtype):
        assert reductions.compressed(reductions.collective(), dtype).dtype == dtype
        return
    with pytest.raises(ArgumentError, match=r"collective\(\) can't sum b?float16 in TensorFlow 1.15"):
        reductions.compressed(reductions.collective(), dtype)


@pytest.mark.parametrize(
    "reduction, text",
    [
        (reductions.compressed(), "compressed(mean())"),
        (reductions.compressed(reductions.tree(), "bfloat16"), "compressed(tree(), dtype=tf.bfloat16)"),
        (reductions.compressed(reductions.bucketed()), "compressed(bucketed(mean()))"),
    ],
    ids=["default", "dtype", "nested"],
)
def test_a_repr_is_the_call(reduction, text):
    assert repr(reduction) == text
