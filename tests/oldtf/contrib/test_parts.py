"""Every name that a part of tf.contrib had is served, or an error says what to do instead."""
import json
import os

import pytest
from oldtf import recorded_cases

from legacy_towers.compat import tf
from legacy_towers.oldtf import advice, missing, provided, tree

IS_1_15 = tf.__version__.startswith("1.15")
pytestmark = pytest.mark.skipif(IS_1_15, reason="TensorFlow 1.15 has tf.contrib itself")

# What `dir` of each part gave on TensorFlow 1.15.
with open(os.path.join(recorded_cases.FOLDER, "public_names.json"), encoding="utf-8") as _file:
    NAMES = json.load(_file)
# Modules that a part happens to show beside its names.
BESIDE = {"python", "file_io", "os", "projector_config_pb2", "sys", "text_format", "DESCRIPTOR"}
BESIDE |= {
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
    return dict(advice.ADVICE, **provided.reasons())


@pytest.mark.parametrize("part", sorted(NAMES))
def test_every_name_is_served_or_has_a_reason(part):
    if part.startswith("tensorflow.contrib.distributions"):
        pytest.importorskip("tensorflow_probability")
    try:
        module = tree.module(part)
    except missing.MissingModule:
        assert part in reasons()
        return
    if tree.is_unserved(module):
        assert part in reasons()
        return
    left = []
    for name in sorted(set(NAMES[part]) - BESIDE):
        try:
            served = getattr(module, name) is not None
        except missing.MissingName:
            served = "{}.{}".format(part, name) in reasons() or part in provided.reasons()
        if not served:
            left.append(name)
    assert left == []


def test_a_reason_is_said():
    with pytest.raises(AttributeError, match="create_db_writer.*TensorFlow 2 writes event files alone"):
        _ = tf.contrib.summary.create_db_writer


def test_names_of_autograph_that_moved():
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
def test_a_part_that_only_moved_is_the_one_it_became(name):
    served, now = tf.contrib, tf
    for each in name.split("."):
        served, now = getattr(served, each), getattr(now, each)
    assert served is now
