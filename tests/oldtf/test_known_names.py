"""The recorded names of TensorFlow 1.15, and on TensorFlow 1.15 itself whether they are its names."""
import importlib

import pytest
from oldtf import record_names

from legacy_towers.oldtf import known_names, tree


@pytest.mark.parametrize(
    "name, is_there",
    [
        ("tensorflow.nn.relu", True),
        ("tensorflow.train", True),
        ("tensorflow.compat.v1.nn.relu", True),
        ("tensorflow.contrib.slim.learning.train", True),
        ("tensorflow.contrib.layers.xavier_initializer", True),
        ("tensorflow.python.ops.array_ops.concat", True),
        # by a star import of gen_array_ops
        ("tensorflow.python.ops.array_ops.fill", True),
        ("tensorflow.python.client.timeline", True),
        ("tensorflow.examples.tutorials.mnist.input_data.read_data_sets", True),
        ("tensorflow.mul", False),
        ("tensorflow.nn.reluu", False),
        ("tensorflow.models", False),
    ],
)
def test_is_name_of_1_15(name, is_there):
    assert known_names.is_name_of_1_15(name) is is_there


@pytest.mark.parametrize(
    "name, nearest",
    [
        ("tensorflow.train.shufle_batch", "tensorflow.train.shuffle_batch"),
        ("tensorflow.relu", "tensorflow.nn.relu"),
        ("tensorflow.xavier_initializer", "tensorflow.contrib.layers.xavier_initializer"),
    ],
)
def test_closest(name, nearest):
    assert known_names.closest(name)[0] == nearest


def test_nothing_is_close_to_nonsense():
    assert known_names.closest("tensorflow.qqqqqqqq") == []


def test_arguments_are_in_order():
    assert known_names.arguments("tensorflow.nn.dropout")[:3] == ("x", "keep_prob=None", "noise_shape=None")
    assert known_names.arguments("tensorflow.mul") is None


@pytest.mark.parametrize(
    "module, shown, not_shown",
    [
        # a module that imports what it shows
        ("tensorflow.contrib.eager", {"async_wait", "seterr", "run", "Checkpointable", "metrics"}, {"tfe", "python"}),
        ("tensorflow.contrib.slim", {"conv2d", "learning", "losses"}, {"array_ops", "functools", "python"}),
        ("tensorflow.contrib.grid_rnn", {"Grid2LSTMCell"}, {"namedtuple", "layers", "nn", "python"}),
        ("tensorflow.contrib.graph_editor.select", {"get_walks_union_ops"}, {"iteritems", "tf_ops"}),
        ("tensorflow.contrib.predictor", {"from_saved_model"}, {"predictor", "saved_model_predictor"}),
        ("tensorflow.contrib.hooks", {"ProfilerHook"}, {"remove_undocumented"}),
    ],
)
def test_public_names(module, shown, not_shown):
    assert shown <= known_names.public_names(module)
    assert not not_shown & known_names.public_names(module)


@pytest.mark.parametrize(
    "name",
    [
        # what a module of tf.contrib only imported, and what is below a second place of a module
        "tensorflow.contrib.slim.array_ops.concat",
        "tensorflow.contrib.slim.losses.metric_learning.npairs_loss",
        "tensorflow.contrib.graph_editor.transform.select.util.ListView",
        "tensorflow.contrib.eager.metrics.Mean",
    ],
)
def test_what_was_not_shown_was_there(name):
    assert known_names.is_name_of_1_15(name)
    assert not known_names.is_name_of_1_15(name + "x")


def test_recording_is_of_the_tensorflow_that_runs():
    if not tree.is_1_15():
        pytest.skip("only TensorFlow 1.15 can say which names it has")
    left_out = ("_eager_fallback", "_swigregister")
    for module, names in record_names.public_modules().items():
        plain = {each for each in names if not each.startswith("*") and not each.endswith(left_out)}
        assert plain <= known_names.names_in(module), module


def test_parts_of_contrib_show_what_dir_shows():
    if not tree.is_1_15():
        pytest.skip("only TensorFlow 1.15 can say which names it has")
    contrib = importlib.import_module("tensorflow.contrib")
    future = {"absolute_import", "division", "print_function"}
    for part in ("data", "eager", "rnn", "staging", "tpu"):
        shown = {name for name in dir(getattr(contrib, part)) if not name.startswith("_")} - future
        assert known_names.public_names("tensorflow.contrib." + part) == shown, part
