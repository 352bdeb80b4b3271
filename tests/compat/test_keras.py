"""The choice between Keras 3 and tf_keras, for any TensorFlow."""
import os

import pytest

from legacy_towers.compat import keras, packages
from legacy_towers.compat.versions import parse


@pytest.fixture
def tf_keras(monkeypatch):
    """Pretends that tf_keras is installed in a version, or not at all for None."""

    def install(version):
        monkeypatch.setattr(packages, "is_importable", lambda module: version is not None)
        monkeypatch.setattr(packages, "tf_keras_version", lambda: version)

    monkeypatch.delenv(keras.FLAG, raising=False)
    return install


@pytest.mark.parametrize(
    "tensorflow, installed, chosen",
    [
        ("2.21.0", "2.21.0", "1"),
        ("2.21.0-rc1", "2.21.0", "1"),
        ("2.21.0", "2.20.1", None),
        ("2.21.0", None, None),
        ("2.15.1", "2.15.0", None),
        ("1.15.5", None, None),
    ],
)
def test_tf_keras_is_chosen_where_it_fits(tf_keras, tensorflow, installed, chosen):
    tf_keras(installed)
    keras.prepare(parse(tensorflow))
    assert os.environ.get(keras.FLAG) == chosen


def test_the_users_own_choice_stays(tf_keras, monkeypatch):
    tf_keras("2.21.0")
    monkeypatch.setenv(keras.FLAG, "0")
    keras.prepare(parse("2.21.0"))
    assert os.environ[keras.FLAG] == "0"
    assert keras.problem(parse("2.21.0")) == (
        "tf.layers and tf.nn.rnn_cell don't exist in Keras 3, which TF_USE_LEGACY_KERAS=0 asks for: "
        "unset TF_USE_LEGACY_KERAS before the program starts"
    )


@pytest.mark.parametrize("flag", ["1", "true", "True"])
def test_a_fitting_tf_keras_is_no_problem(tf_keras, monkeypatch, flag):
    tf_keras("2.16.0")
    monkeypatch.setenv(keras.FLAG, flag)
    assert keras.problem(parse("2.16.2")) is None


def test_a_tf_keras_of_another_version_is_named(tf_keras):
    tf_keras("2.20.1")
    assert keras.problem(parse("2.21.0")) == (
        "tf.layers and tf.nn.rnn_cell need the tf_keras of TensorFlow 2.21, and tf_keras 2.20.1 is installed: "
        'pip install --no-deps "tf_keras==2.21.*"'
    )


def test_nothing_is_needed_before_keras_3(tf_keras):
    tf_keras(None)
    assert keras.problem(parse("2.15.1")) is None


def test_without_tf_keras_a_script_is_told_that_keras_3_is_another(tf_keras, monkeypatch):
    tf_keras(None)
    assert keras.keras_3_problem(parse("2.15.1")) is None
    assert keras.keras_3_problem(parse("2.21.0")) == (
        "the tf.keras of TensorFlow 1.x is not Keras 3, and needs the package tf_keras beside TensorFlow 2.21: "
        'pip install --no-deps "tf_keras==2.21.*"'
    )
    monkeypatch.setenv(keras.FLAG, "0")
    assert keras.keras_3_problem(parse("2.21.0")) is None  # who asks for Keras 3 gets it


def test_a_tf_keras_of_another_version_does_not_serve_scripts(tf_keras):
    tf_keras("2.20.1")
    assert keras.keras_3_problem(parse("2.21.0")).startswith(
        "the tf.keras of TensorFlow 1.x is not Keras 3, and needs the tf_keras of TensorFlow 2.21, and tf_keras 2.20.1"
    )
