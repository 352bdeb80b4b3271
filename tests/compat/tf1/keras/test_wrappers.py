"""tf.keras.wrappers.scikit_learn and tf.keras.utils.HDF5Matrix, used by scikit-learn and Keras."""
import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import tree

pytestmark = pytest.mark.needs_layers
sklearn = pytest.importorskip("sklearn")

MODULES = ["tensorflow.keras.wrappers.scikit_learn", "tensorflow.python.keras.wrappers.scikit_learn"]


def wrappers():
    return tree.module("tensorflow.keras").wrappers.scikit_learn


def _start(shape, dtype=None, partition_info=None):
    """Returns initial weights that are the same in every model."""
    return tf.constant(np.linspace(-0.5, 0.5, int(np.prod([int(each) for each in shape]))).reshape(
        [int(each) for each in shape]), tf.float32)


def classifier(hidden=4, rate=0.1, outputs=3):
    layers = tf.keras.layers
    model = tf.keras.Sequential([
        layers.Dense(hidden, "tanh", input_shape=(2,), kernel_initializer=_start),
        layers.Dense(outputs, "softmax" if outputs > 1 else "sigmoid", kernel_initializer=_start),
    ])
    loss = "categorical_crossentropy" if outputs > 1 else "binary_crossentropy"
    model.compile(tf.train.GradientDescentOptimizer(rate), loss, metrics=["accuracy"])
    return model


def regressor():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer=_start)])
    model.compile(tf.train.GradientDescentOptimizer(0.1), "mse")
    return model


def examples(labels=("blue", "green", "red")):
    """Returns three clusters of 20 examples each, and their labels."""
    random = np.random.RandomState(5)
    kinds = np.arange(60) % len(labels)
    centres = np.array([[2.0, 0.0], [-2.0, 1.0], [0.0, -3.0]])[kinds]
    return (centres + 0.3 * random.randn(60, 2)).astype(np.float32), np.array(labels)[kinds]


@pytest.mark.parametrize("module", ["tensorflow.keras.utils", "tensorflow.python.keras.utils.io_utils"])
def test_modules_have_hdf5_matrix(module):
    assert tree.module(module).HDF5Matrix.__name__ == "HDF5Matrix"


@pytest.mark.parametrize("module", MODULES)
def test_modules_have_keras_classifier(module):
    assert tree.module(module).KerasClassifier.__name__ == "KerasClassifier"


def test_classifier_predicts_labels_of_any_type():
    x, y = examples()
    estimator = wrappers().KerasClassifier(build_fn=classifier, hidden=5, epochs=40, batch_size=20, verbose=0)
    history = estimator.fit(x, y, shuffle=False)
    assert len(history.history["loss"]) == 40 and estimator.model.layers[0].units == 5
    assert estimator.classes_.tolist() == ["blue", "green", "red"] and estimator.n_classes_ == 3
    assert (estimator.predict(x) == y).all()
    probabilities = estimator.predict_proba(x)
    np.testing.assert_allclose(probabilities, estimator.model.predict(x), rtol=1e-6)
    assert estimator.score(x, y, verbose=0) == pytest.approx(1.0)


def test_predict_proba_of_one_sigmoid_has_two_columns():
    x, y = examples(labels=(3, 7))
    estimator = wrappers().KerasClassifier(classifier, outputs=1, epochs=30, verbose=0)
    estimator.fit(x, y, shuffle=False)
    probabilities = estimator.predict_proba(x)
    assert probabilities.shape == (60, 2)
    np.testing.assert_allclose(probabilities.sum(1), 1, rtol=1e-5)
    assert (estimator.predict(x)[:, 0] == y).all() and set(estimator.classes_) == {3, 7}


@pytest.mark.slow
def test_clone_cross_val_score_and_grid_search():
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

    x, y = examples()
    estimator = wrappers().KerasClassifier(build_fn=classifier, epochs=30, batch_size=20, verbose=0, shuffle=False)
    assert clone(estimator).get_params() == estimator.get_params() and clone(estimator) is not estimator
    folds = list(KFold(3).split(x))
    expected = []
    for train, test in folds:
        one = clone(estimator)
        one.fit(x[train], y[train])
        expected.append(one.score(x[test], y[test], verbose=0))
    np.testing.assert_allclose(cross_val_score(estimator, x, y, cv=3), expected, rtol=1e-6)
    search = GridSearchCV(estimator, {"hidden": [2, 4], "rate": [0.001, 0.1]}, cv=KFold(2))
    search.fit(x, y)
    assert search.best_params_["rate"] == 0.1 and (search.predict(x) == y).mean() > 0.9


def test_score_of_a_regressor_is_its_negative_loss():
    x, _ = examples()
    y = x @ [1.0, -2.0] + 0.5
    estimator = wrappers().KerasRegressor(regressor, epochs=80, verbose=0, shuffle=False)
    estimator.fit(x, y)
    found = estimator.predict(x)
    assert found.shape == (60,)
    assert estimator.score(x, y, verbose=0) == pytest.approx(-np.mean((found - y) ** 2), rel=1e-4, abs=1e-7)
    np.testing.assert_allclose(found, y, atol=0.05)


def test_a_subclass_may_build_the_model_and_unknown_parameters_are_rejected():
    class Mine(wrappers().KerasRegressor):
        def __call__(self, rate=1.0):
            self.rate = rate
            return regressor()

    x, _ = examples()
    estimator = Mine(rate=0.25, verbose=0)
    estimator.fit(x, x[:, 0])
    assert estimator.rate == 0.25
    for wrong in (lambda: Mine(no_such=1), lambda: estimator.set_params(no_such=1)):
        with pytest.raises(ValueError, match="no_such is not a legal parameter"):
            wrong()


@pytest.fixture
def file(tmp_path):
    h5py = pytest.importorskip("h5py")
    path = str(tmp_path / "data.h5")
    with h5py.File(path, "w") as opened:
        opened["x"] = np.arange(40, dtype=np.float32).reshape(10, 4)
        opened["y"] = np.arange(10, dtype=np.float32).reshape(10, 1)
    return path


def test_hdf5_matrix_indexing(file):
    matrix = tree.module("tensorflow.keras").utils.HDF5Matrix(file, "x", 2, 8, normalizer=lambda rows: rows / 2)
    expected = np.arange(40, dtype=np.float32).reshape(10, 4)[2:8] / 2
    assert (len(matrix), matrix.shape, matrix.ndim, matrix.size) == (6, (6, 4), 2, 24)
    assert matrix.dtype == np.float32
    for key in (slice(None), slice(1, 3), 4, np.int64(4), [0, 2, 5], np.array([1, 3])):
        np.testing.assert_array_equal(matrix[key], expected[key])
    for key in (slice(0, 7), 6, [5, 6], np.array([6])):
        with pytest.raises(IndexError):
            matrix[key]


def test_a_model_is_fitted_to_an_hdf5_matrix(file):
    matrix = tree.module("tensorflow.keras").utils.HDF5Matrix
    x, y = matrix(file, "x", normalizer=lambda rows: rows / 40), matrix(file, "y")
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,), kernel_initializer=_start)])
    model.compile(tf.train.GradientDescentOptimizer(0.1), "mse")
    before = model.predict(x, batch_size=5)
    np.testing.assert_allclose(before, (x[:]).dot(np.linspace(-0.5, 0.5, 4)[:, None]), rtol=1e-5, atol=1e-6)
    np.random.seed(1)  # determines the order of the batches
    losses = model.fit(x, y, batch_size=5, epochs=3, shuffle="batch", verbose=0).history["loss"]
    assert losses[-1] < losses[0]
