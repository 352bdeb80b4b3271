"""Every reduction computes the gradient of one device with all towers' examples, dense and sparse.

The expected gradient is TensorFlow's own, over all examples at once; the bounds are those for towers compared with one
device: 1e-5 of a variable's largest gradient in float32, 1e-12 in float64.
"""
import numpy as np
import pytest

from legacy_towers import gradients as reductions
from legacy_towers.compat import tf

BOUNDS = {tf.float32: 1e-5, tf.float64: 1e-12}
CLASSES, WORDS, WIDTH = 5, 11, 4
LOGICAL_CPUS = 4


class Model:
    """An embedding of which examples use a few rows, a hidden layer and a softmax; towers share its variables."""

    def __init__(self, dtype):
        draw = np.random.RandomState(3)
        self.variables = [
            tf.get_variable(name, initializer=draw.normal(size=shape).astype(dtype.as_numpy_dtype), use_resource=True)
            for name, shape in [("table", [WORDS, WIDTH]), ("w", [WIDTH, 7]), ("b", [7]), ("out", [7, CLASSES])]
        ]

    def gradients(self, words, labels):
        """Returns (gradient, variable) pairs of the mean loss over examples; NaN without examples."""
        table, w, b, out = self.variables
        hidden = tf.tanh(tf.matmul(tf.gather(table, words), w) + b)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=tf.matmul(hidden, out))
        return list(zip(tf.gradients(tf.reduce_mean(losses), self.variables), self.variables))


def examples(counts):
    """Returns words and labels of sum(counts) examples, and the slice of each tower."""
    draw = np.random.RandomState(11)
    ends = np.cumsum(counts)
    total = int(ends[-1])
    parts = [slice(end - count, end) for count, end in zip(counts, ends)]
    return draw.randint(WORDS, size=total), draw.randint(CLASSES, size=total), parts


def compared(asked, counts, devices, dtype, weigh=None):
    """Yields for each reduction, run in one session: its text, its gradients, whether they are sparse, one device's.

    Gradients are one dense array per variable.
    """
    words, labels, parts = examples(counts)
    model = Model(dtype)
    fed = tf.placeholder(tf.int64, [len(counts)])
    ends = tf.cumsum(fed)
    tower_grads = []
    for tower, device in enumerate(devices):
        with tf.device(device):
            part = slice(ends[tower] - fed[tower], ends[tower])
            tower_grads.append(model.gradients(tf.constant(words)[part], tf.constant(labels)[part]))
    weights = {None: None, "numbers": list(counts), "tensors": [fed[tower] for tower in range(len(counts))]}[weigh]
    results = [reductions.reduce_gradients(tower_grads, each, devices, weights) for each in asked]
    for result in results:
        assert result.reduced and [len(row.gradients) for row in result.rows] == [1] * len(model.variables)
    gradients = [[row.gradients[0] for row in result.rows] for result in results]
    fetches = [list(map(tf.convert_to_tensor, each)) for each in gradients]
    whole = [tf.convert_to_tensor(each) for each, _ in model.gradients(tf.constant(words), tf.constant(labels))]
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": LOGICAL_CPUS})) as session:
        session.run(tf.global_variables_initializer())
        values, expected = session.run([fetches, whole], {fed: counts})
    for reduction, made, of_reduction in zip(asked, gradients, values):
        yield repr(reduction), of_reduction, [isinstance(each, tf.IndexedSlices) for each in made], expected


SPARSE_TABLE = [True, False, False, False]
ALL_DENSE = [False] * 4


def assert_equal(found, dtype, kinds=SPARSE_TABLE, factor=1.0):
    """Asserts that gradients are equal to one device's within the bound, times `factor`."""
    for reduction, gradients, found_kinds, expected in found:
        assert found_kinds == kinds, reduction
        for position, (gradient, one_device) in enumerate(zip(gradients, expected)):
            largest = np.abs(factor * one_device).max()
            assert np.isfinite(largest) and largest > 0
            difference = np.abs(gradient - factor * one_device).max()
            assert difference <= BOUNDS[dtype] * largest, (reduction, position)


def cpus(towers, devices=LOGICAL_CPUS):
    return ["/cpu:{}".format(tower % devices) for tower in range(towers)]


MEANS = [
    reductions.mean(),
    reductions.mean(on="variable"),
    reductions.mean(on="/cpu:1"),
    reductions.mean(on=["/cpu:1", "/cpu:3"]),
    reductions.tree(),
    reductions.tree(on="variable"),
    reductions.chain(reductions.missing("zeros"), reductions.mean()),
    reductions.collective(),
    reductions.bucketed(),
    reductions.bucketed(reductions.tree(), bucket_bytes=64),
    reductions.bucketed(reductions.collective()),
]
SUMS = [
    reductions.sum(),
    reductions.sum(on="variable"),
    reductions.tree(combine="sum"),
    reductions.collective(combine="sum"),
    reductions.bucketed(reductions.sum()),
]
DENSE = [
    reductions.chain(reductions.densify(), reductions.mean()),
    reductions.chain(reductions.mean(), reductions.densify()),
    reductions.chain(reductions.densify(), reductions.tree()),
]
PLACES = {
    "2 towers": cpus(2),
    "3 towers": cpus(3),
    "4 towers": cpus(4),
    "5 towers on 2 devices": cpus(5, 2),
    "4 towers on one device": cpus(4, 1),
}
each_dtype = pytest.mark.parametrize("dtype", sorted(BOUNDS, key=str), ids=lambda dtype: dtype.name)


@each_dtype
@pytest.mark.parametrize("places", sorted(PLACES))
def test_means(places, dtype):
    devices = PLACES[places]
    assert_equal(compared(MEANS, [6] * len(devices), devices, dtype), dtype)


@each_dtype
@pytest.mark.parametrize("weigh", ["numbers", "tensors"])
@pytest.mark.parametrize("counts", [[1, 9, 4, 2], [5, 0, 3, 0], [0, 0, 7]], ids=str)
def test_weights_are_counts_of_examples_and_a_tower_without_examples_is_left_out(counts, weigh, dtype):
    """The gradient of a tower without examples is NaN: the mean over no losses."""
    assert_equal(compared(MEANS, counts, cpus(len(counts)), dtype, weigh), dtype)


@pytest.mark.parametrize("weigh", [None, "numbers", "tensors"])
def test_a_sum_with_equal_counts_is_the_mean_times_the_towers(weigh):
    assert_equal(compared(SUMS, [6] * 4, cpus(4), tf.float64, weigh), tf.float64, factor=4)


@pytest.mark.parametrize("weigh", ["numbers", "tensors"])
def test_a_sum_leaves_out_a_tower_without_examples(weigh):
    assert_equal(compared(SUMS, [6, 0, 6], cpus(3), tf.float64, weigh), tf.float64, factor=2)


@pytest.mark.parametrize("weigh", [None, "tensors"])
def test_densify(weigh):
    assert_equal(compared(DENSE, [6] * 3, cpus(3), tf.float64, weigh), tf.float64, ALL_DENSE)


def test_one_tower_returns_its_own_gradients():
    for reduction, gradients, kinds, expected in compared(MEANS + SUMS, [6], cpus(1), tf.float64):
        assert kinds == SPARSE_TABLE, reduction
        for gradient, one_device in zip(gradients, expected):
            np.testing.assert_array_equal(gradient, one_device, reduction)


def test_a_single_tower_without_examples_gives_zeros():
    for reduction, gradients, _, _ in compared(MEANS + SUMS, [0], cpus(1), tf.float64, "tensors"):
        for gradient in gradients:
            np.testing.assert_array_equal(gradient, np.zeros(gradient.shape), reduction)
