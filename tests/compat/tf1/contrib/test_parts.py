"""Every name of the packages of tf.contrib is supported, or its error recommends a replacement."""
import json
import os

import pytest
from tf1_cases import recorded_cases

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import advice, missing, registry, tree

IS_1_15 = tf.__version__.startswith("1.15")
pytestmark = pytest.mark.skipif(IS_1_15, reason="TensorFlow 1.15 has tf.contrib itself")

# Package -> `dir` of it on TensorFlow 1.15.
with open(os.path.join(recorded_cases.FOLDER, "public_names.json"), encoding="utf-8") as _file:
    NAMES = json.load(_file)
# Modules that packages of TensorFlow 1.15 import.
IMPORTED_MODULES = {"python", "file_io", "os", "projector_config_pb2", "sys", "text_format", "DESCRIPTOR"}
IMPORTED_MODULES |= {
    "check_function_argument_count",
    "jit",
    "array_ops",
    "function_utils",
    "logging",
    "model_fn_lib",
    "ops",
    "tf_decorator",
    "xla",
    "summary",
}


def reasons():
    return dict(advice.ADVICE, **registry.reasons())


@pytest.mark.parametrize("part", sorted(NAMES))
def test_every_name_is_supported_or_has_a_reason(part):
    if part.startswith("tensorflow.contrib.distributions"):
        pytest.importorskip("tensorflow_probability")
    try:
        module = tree.module(part)
    except missing.MissingModule:
        assert part in reasons()
        return
    if tree.is_unsupported(module):
        assert part in reasons()
        return
    missing_names = []
    for name in sorted(set(NAMES[part]) - IMPORTED_MODULES):
        try:
            is_known = getattr(module, name) is not None
        except missing.MissingName:
            is_known = "{}.{}".format(part, name) in reasons() or part in registry.reasons()
        if not is_known:
            missing_names.append(name)
    assert missing_names == []


def test_error_of_an_unsupported_name_recommends_a_replacement():
    message = "create_db_writer.*TensorFlow 2 writes event files only: use create_file_writer"
    with pytest.raises(AttributeError, match=message):
        _ = tf.contrib.summary.create_db_writer


def test_autograph_names_that_moved_to_experimental():
    assert tf.contrib.autograph.do_not_convert(len)([1, 2]) == 2
    assert callable(tf.contrib.autograph.set_loop_options) and tf.contrib.autograph.Feature.ALL.name == "ALL"


@pytest.mark.parametrize(
    "name",
    [
        "autograph.to_graph",
        "keras.utils.to_categorical",
        pytest.param("keras.layers.Dense", marks=pytest.mark.needs_layers),
    ],
)
def test_packages_that_moved_are_those_of_tensorflow(name):
    old, new = tf.contrib, tf
    for each in name.split("."):
        old, new = getattr(old, each), getattr(new, each)
    assert old is new
