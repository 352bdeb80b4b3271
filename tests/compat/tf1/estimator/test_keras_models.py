"""Compiled Keras models as Estimators."""
import numpy as np
import pytest

from legacy_towers.compat.tf1 import tree

pytestmark = pytest.mark.needs_layers

SYMBOLS = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.5], [-2.0, 1.0]], np.float32)
TARGETS = np.array([[1.0], [0.0], [2.0], [-1.0]], np.float32)
KERNEL, BIAS = np.array([[0.5], [-0.25]], np.float32), np.array([0.125], np.float32)


@pytest.fixture
def tf():
    return tree.module("tensorflow")


def linear_model(tf, optimizer=None):
    keras = tf.keras
    model = keras.models.Sequential([keras.layers.Dense(1, input_shape=(2,), name="line")])
    model.compile(loss="mse", optimizer=optimizer or keras.optimizers.SGD(0.1), metrics=["mae"])
    model.set_weights([KERNEL, BIAS])
    return model


def examples(tf, features=SYMBOLS):
    return lambda: tf.data.Dataset.from_tensors(({"line_input": features}, TARGETS))


def errors(kernel, bias):
    return SYMBOLS.dot(kernel) + bias - TARGETS


def test_an_estimator_starts_with_the_weights_of_the_model_and_trains_them(tf, tmp_path):
    estimator = tf.keras.estimator.model_to_estimator(linear_model(tf), model_dir=str(tmp_path))
    first = estimator.evaluate(examples(tf), checkpoint_path=str(tmp_path / "keras" / "keras_model.ckpt"))
    found = errors(KERNEL, BIAS)
    assert first["loss"] == pytest.approx(np.square(found).mean(), rel=1e-5)
    (mean_error,) = {"mae", "mean_absolute_error"} & set(first)
    assert first[mean_error] == pytest.approx(np.abs(found).mean(), rel=1e-5)

    estimator.train(examples(tf), steps=1)
    kernel, bias = KERNEL - 0.1 * 2 * SYMBOLS.T.dot(found) / 4, BIAS - 0.1 * 2 * found.mean(0)
    np.testing.assert_allclose(estimator.get_variable_value("line/kernel"), kernel, rtol=1e-5)
    np.testing.assert_allclose(estimator.get_variable_value("line/bias"), bias, rtol=1e-5)
    assert estimator.get_variable_value("global_step") == 1
    predicted = [row["line"][0] for row in estimator.predict(examples(tf))]
    np.testing.assert_allclose(predicted, (SYMBOLS.dot(kernel) + bias)[:, 0], rtol=1e-4)


def test_variables_of_optimizers_have_the_names_of_1_15(tf, tmp_path):
    model = linear_model(tf, tf.keras.optimizers.Adam(0.1))
    estimator = tf.keras.estimator.model_to_estimator(model, model_dir=str(tmp_path))
    estimator.train(examples(tf), steps=1)
    slots = ["training/Adam/line/{}/{}".format(of, slot) for of in ("bias", "kernel") for slot in "mv"]
    settings = ["training/Adam/" + name for name in ("beta_1", "beta_2", "decay", "learning_rate")]
    expected = sorted(["global_step", "line/bias", "line/kernel"] + slots + settings)
    assert sorted(estimator.get_variable_names()) == expected


def test_sample_weights_are_used(tf, tmp_path):
    estimator = tf.keras.estimator.model_to_estimator(linear_model(tf), model_dir=str(tmp_path))
    weights = np.array([1.0, 0.0, 3.0, 0.0], np.float32)

    def input_fn():
        features = {"features": {"line_input": SYMBOLS}, "sample_weights": weights}
        return tf.data.Dataset.from_tensors((features, TARGETS))

    estimator.train(input_fn, steps=1)
    by_example = weights[:, None] * 2 * errors(KERNEL, BIAS) / 4
    np.testing.assert_allclose(
        estimator.get_variable_value("line/kernel"), KERNEL - 0.1 * SYMBOLS.T.dot(by_example), rtol=1e-5
    )


def test_only_compiled_models_are_accepted(tf, tmp_path):
    to_estimator = tf.keras.estimator.model_to_estimator
    with pytest.raises(ValueError, match="Either `keras_model` or `keras_model_path`"):
        to_estimator()
    with pytest.raises(ValueError, match="but not both"):
        to_estimator(linear_model(tf), str(tmp_path))
    bare = tf.keras.models.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    with pytest.raises(ValueError, match="has not been compiled"):
        to_estimator(bare, model_dir=str(tmp_path))


def test_features_with_other_names_are_rejected(tf, tmp_path):
    estimator = tf.keras.estimator.model_to_estimator(linear_model(tf), model_dir=str(tmp_path))
    with pytest.raises(KeyError, match="features"):
        estimator.train(lambda: tf.data.Dataset.from_tensors(({"other": SYMBOLS}, TARGETS)), steps=1)
