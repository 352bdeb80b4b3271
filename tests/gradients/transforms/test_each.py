"""Functions applied to every gradient, against numpy on dense gradients."""
import numpy as np
import pytest
from fed_towers import session

from legacy_towers.compat import tf
from legacy_towers.gradients.base import GradientRow, ReductionContext, TowerGradients
from legacy_towers.gradients.transforms.each import device_of, map_gradients, sum_repeated_rows, values_of


@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
@pytest.mark.parametrize("indices", [[], [3], [3, 1, 3, 3, 0, 1]], ids=len)
def test_repeated_rows_are_summed_and_each_index_occurs_once(indices, index_dtype):
    rows = np.random.RandomState(1).normal(size=[len(indices), 2, 3])
    slices = tf.IndexedSlices(
        tf.placeholder_with_default(rows, [None, 2, 3]),
        tf.placeholder_with_default(np.asarray(indices, index_dtype), [None]),
        tf.constant([5, 2, 3]),
    )
    made = sum_repeated_rows(slices)
    assert made.values.shape.as_list() == [None, 2, 3] and made.indices.dtype == index_dtype
    expected = np.zeros([5, 2, 3])
    np.add.at(expected, np.asarray(indices, np.int64), rows)
    with session() as running:
        dense, found = running.run([tf.convert_to_tensor(made), made.indices])
    np.testing.assert_allclose(dense, expected, rtol=1e-12)
    assert sorted(found) == sorted(set(indices))


def test_a_dense_gradient_is_unchanged():
    gradient = tf.zeros([2])
    assert sum_repeated_rows(gradient) is gradient


def on(device, kind):
    with tf.device(device):
        values = tf.placeholder(tf.float32, [2])
        return values if kind == "dense" else tf.IndexedSlices(values, tf.placeholder(tf.int64, [2]), [7])


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize(
    "devices, reduced, expected",
    [
        (["/cpu:2", "/cpu:3"], False, ["/device:CPU:2", "/device:CPU:3"]),
        (["", ""], False, ["/cpu:0", "/cpu:1"]),
        (["/cpu:2"], True, ["/device:CPU:2"]),
        ([""], True, ["/cpu:9"]),
    ],
    ids=["towers", "towers, device not set", "reduced", "reduced, device not set"],
)
def test_map_gradients_runs_on_the_device_of_the_gradient(devices, reduced, expected, kind):
    row = GradientRow("w", None, [on(device, kind) for device in devices] + [None] * (not reduced), "/cpu:9")
    context = ReductionContext(["/cpu:0", "/cpu:1", "/cpu:2"], [0, 1, 2])
    gradients = TowerGradients([row], context, reduced)
    assert [device_of(gradients, row, position) for position in range(len(devices))] == expected
    (made,) = map_gradients(gradients, lambda gradient, row, position: tf.identity(values_of(gradient))).rows
    assert [tf.DeviceSpec.from_string(each.device).device_index for each in made.gradients if each is not None] == [
        int(each[-1]) for each in expected
    ]
    assert made.gradients[len(devices):] == row.gradients[len(devices):]
