"""16-bit gradients are summed in float32: with these values, sums in 16 bits would be wrong."""
import pytest

from legacy_towers import gradients as reductions
from legacy_towers.compat import tf

CPUS = ["/cpu:{}".format(index) for index in range(4)]
MEANS = {"mean": reductions.mean(), "tree": reductions.tree()}


def reduced(reduction, dtype, values, weights=None):
    """Returns the result of a reduction of one number per tower."""
    variable = tf.get_variable("v", [1], dtype, tf.zeros_initializer(), use_resource=True)
    fed = [tf.placeholder(dtype, [1]) for _ in values]
    towers = [[(gradient, variable)] for gradient in fed]
    row = reductions.reduce_gradients(towers, reduction, CPUS[: len(values)], weights).rows[0]
    assert row.gradients[0].dtype == dtype
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 4})) as session:
        of_float = [tf.cast(tf.constant([value], tf.float32), dtype) for value in values]
        feed = dict(zip(fed, session.run(of_float)))
        return float(session.run(tf.cast(row.gradients[0], tf.float64), feed)[0])


def test_a_mean_of_float16_is_finite_though_its_sum_is_not():
    assert reduced(reductions.mean(), tf.float16, [40000.0] * 4) == 40000.0


@pytest.mark.parametrize(
    "dtype, values, expected",
    [
        # In 16 bits, 2048 + 1 = 2048 and 256 + 1 = 256: a sum in 16 bits would lose each 1.
        (tf.float16, [2048.0, 1.0, 1.0, 2.0], 513.0),
        (tf.bfloat16, [256.0, 1.0, 1.0, 2.0], 65.0),
    ],
    ids=["float16", "bfloat16"],
)
def test_a_mean_is_rounded_once(dtype, values, expected):
    assert reduced(reductions.mean(), dtype, values) == expected


@pytest.mark.parametrize("name", sorted(MEANS))
def test_a_weight_is_not_rounded_to_16_bits(name):
    # 406 / 3 = 135.3, and bfloat16 has 135 and 136. With a third rounded to bfloat16, 0.33398, it would be 136.
    assert reduced(MEANS[name], tf.bfloat16, [406.0, 0.0, 0.0], [1, 1, 1]) == 135.0
