"""The choice between Keras 3 and tf_keras, simulated for several TensorFlow versions."""
import os

import pytest

from legacy_towers.compat.versions import keras, packages
from legacy_towers.compat.versions.supported import parse


@pytest.fixture
def tf_keras(monkeypatch):
    """Simulates an installed tf_keras of a version; none for None."""

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
    keras.choose_for_process(parse(tensorflow))
    assert os.environ.get(keras.FLAG) == chosen


def test_a_flag_that_the_user_has_set_is_kept(tf_keras, monkeypatch):
    tf_keras("2.21.0")
    monkeypatch.setenv(keras.FLAG, "0")
    keras.choose_for_process(parse("2.21.0"))
    assert os.environ[keras.FLAG] == "0"
    assert keras.problem(parse("2.21.0")) == (
        "tf.layers and tf.nn.rnn_cell don't exist in Keras 3, which TF_USE_LEGACY_KERAS=0 selects: "
        "unset TF_USE_LEGACY_KERAS before the program starts"
    )


@pytest.mark.parametrize("flag", ["1", "true", "True"])
def test_problem_is_none_with_a_fitting_tf_keras(tf_keras, monkeypatch, flag):
    tf_keras("2.16.0")
    monkeypatch.setenv(keras.FLAG, flag)
    assert keras.problem(parse("2.16.2")) is None


def test_a_tf_keras_of_another_version_is_named(tf_keras):
    tf_keras("2.20.1")
    assert keras.problem(parse("2.21.0")) == (
        "tf.layers and tf.nn.rnn_cell need the tf_keras of TensorFlow 2.21, but tf_keras 2.20.1 is installed: "
        'pip install --no-deps "tf_keras==2.21.*"'
    )


def test_nothing_is_needed_before_keras_3(tf_keras):
    tf_keras(None)
    assert keras.problem(parse("2.15.1")) is None


def test_keras_3_problem_names_the_package_to_install(tf_keras, monkeypatch):
    tf_keras(None)
    assert keras.keras_3_problem(parse("2.15.1")) is None
    assert keras.keras_3_problem(parse("2.21.0")) == (
        "the tf.keras of TensorFlow 1.x is not Keras 3, and needs the package tf_keras beside TensorFlow 2.21: "
        'pip install --no-deps "tf_keras==2.21.*"'
    )
    monkeypatch.setenv(keras.FLAG, "0")
    assert keras.keras_3_problem(parse("2.21.0")) is None  # the user selected Keras 3


def test_keras_3_problem_names_a_tf_keras_of_another_version(tf_keras):
    tf_keras("2.20.1")
    assert keras.keras_3_problem(parse("2.21.0")).startswith(
        "the tf.keras of TensorFlow 1.x is not Keras 3, and needs the tf_keras of TensorFlow 2.21, but tf_keras 2.20.1"
    )
