"""tf.contrib.kernel_methods, compared with NumPy."""
import numpy as np
import pytest

from legacy_towers.compat import tf

FEATURES = np.random.RandomState(7).normal(size=(5, 3)).astype(np.float32)


@pytest.fixture
def kernels():
    return tf.contrib.kernel_methods


def run(value):
    with tf.Session() as session:
        return session.run(value)


def test_mapped_features_equal_numpy(kernels):
    mapper = kernels.RandomFourierFeatureMapper(3, 4, stddev=2.0, seed=5, name="rffm")
    random = np.random.RandomState(5)
    directions, shifts = random.normal(scale=0.5, size=(3, 4)), random.uniform(0, 2 * np.pi, 4)
    expected = np.sqrt(2 / 4) * np.cos(FEATURES.dot(directions) + shifts)
    np.testing.assert_allclose(run(mapper.map(tf.constant(FEATURES))), expected, atol=1e-5)
    assert (mapper.name, mapper.input_dim, mapper.output_dim) == ("rffm", 3, 4)


def test_products_of_features_approximate_the_gaussian_kernel(kernels):
    features = run(kernels.RandomFourierFeatureMapper(3, 20000, stddev=1.5).map(tf.constant(FEATURES)))
    squares = np.square(FEATURES[:, None] - FEATURES[None]).sum(2)
    np.testing.assert_allclose(features.dot(features.T), np.exp(-squares / (2 * 1.5 ** 2)), atol=0.05)


@pytest.mark.parametrize("shape", [(5, 2), (5,), (5, 3, 1)], ids=str)
def test_other_shapes_raise(kernels, shape):
    with pytest.raises(Exception, match="shape of the tensor should be 2|expected 3 input features") as raised:
        kernels.RandomFourierFeatureMapper(3, 4).map(tf.zeros(shape))
    assert type(raised.value).__name__ == "InvalidShapeError"


@pytest.mark.parametrize("weights", [1.0, [1.0, 0.0, 2.0]], ids=["one", "by example"])
@pytest.mark.parametrize("labels", [[0, 2, 1], [[0], [2], [1]]], ids=["flat", "column"])
def test_multiclass_hinge_loss(kernels, labels, weights):
    logits = np.array([[2.0, 1.5, -1.0], [0.5, 0.2, 0.1], [-1.0, 3.0, 1.0]])
    loss = kernels.sparse_multiclass_hinge_loss(tf.constant(labels), tf.constant(logits), tf.constant(weights))
    margins = logits - logits[[0, 1, 2], np.ravel(labels)][:, None] + 1
    margins[[0, 1, 2], np.ravel(labels)] = 0
    by_example = np.maximum(margins, 0).max(1) * weights
    assert run(loss) == pytest.approx(by_example.sum() / np.count_nonzero(np.broadcast_to(weights, 3)))
    assert tf.get_collection(tf.GraphKeys.LOSSES) == [loss]


def test_hinge_loss_of_other_shapes_and_dtypes_raises(kernels):
    with pytest.raises(ValueError, match="logits should have rank 2"):
        kernels.sparse_multiclass_hinge_loss(tf.constant([1]), tf.constant([1.0]))
    with pytest.raises(ValueError, match="Invalid dtype for labels"):
        kernels.sparse_multiclass_hinge_loss(tf.constant([1.0]), tf.constant([[1.0, 2.0]]))


@pytest.mark.slow
def test_classifier_separates_a_ring_from_its_inside(kernels, tmp_path):
    rows = np.random.RandomState(0).uniform(-2, 2, size=(200, 2)).astype(np.float32)
    classes = (np.square(rows).sum(1) > 1.8).astype(np.int32)
    column = tf.contrib.layers.real_valued_column("at", dimension=2)
    mapper = kernels.RandomFourierFeatureMapper(2, 100, stddev=1.0, name="rffm")
    classifier = kernels.KernelLinearClassifier(
        feature_columns=[column],
        model_dir=str(tmp_path),
        optimizer=tf.train.FtrlOptimizer(learning_rate=5.0),
        kernel_mappers={column: [mapper]},
    )

    def examples():
        return {"at": tf.constant(rows)}, tf.constant(classes)

    classifier.fit(input_fn=examples, steps=60)
    assert classifier.evaluate(input_fn=examples, steps=1)["accuracy"] > 0.9
    names = [name for name in classifier.get_variable_names() if "Ftrl" not in name]
    assert sorted(names) == ["global_step", "linear/at/weight", "linear/at_MAPPED/weight", "linear/bias_weight"]
    first = next(iter(classifier.predict(input_fn=lambda: examples()[0])))
    assert {"classes", "probabilities", "logits"} <= set(first)


@pytest.mark.parametrize("mappers", [None, {}], ids=["none", "empty"])
def test_classifier_without_columns_raises(kernels, mappers):
    with pytest.raises(ValueError, match="at least one of feature_columns, kernel_mappers"):
        kernels.KernelLinearClassifier(kernel_mappers=mappers)
