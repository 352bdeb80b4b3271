"""The recorded names of TensorFlow 1.15 and 0.12; on TensorFlow 1.15 they are compared with its own."""
import importlib

import pytest
from tf1_cases import record_names

from legacy_towers.compat.tf1 import known_names, tree


@pytest.mark.parametrize(
    "name, exists",
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
def test_is_name_of_1_15(name, exists):
    assert known_names.is_name_of_1_15(name) is exists


@pytest.mark.parametrize(
    "name, expected",
    [
        ("tensorflow.train.shufle_batch", "tensorflow.train.shuffle_batch"),
        ("tensorflow.relu", "tensorflow.nn.relu"),
        ("tensorflow.xavier_initializer", "tensorflow.contrib.layers.xavier_initializer"),
    ],
)
def test_closest(name, expected):
    assert known_names.closest(name)[0] == expected


def test_closest_is_empty_for_an_unknown_word():
    assert known_names.closest("tensorflow.qqqqqqqq") == []


def test_arguments_are_in_order():
    assert known_names.arguments("tensorflow.nn.dropout")[:3] == ("x", "keep_prob=None", "noise_shape=None")
    assert known_names.arguments("tensorflow.mul") is None


@pytest.mark.parametrize(
    "module, public, imported",
    [
        # a module that imports its public names
        ("tensorflow.contrib.eager", {"async_wait", "seterr", "run", "Checkpointable", "metrics"}, {"tfe", "python"}),
        ("tensorflow.contrib.slim", {"conv2d", "learning", "losses"}, {"array_ops", "functools", "python"}),
        ("tensorflow.contrib.grid_rnn", {"Grid2LSTMCell"}, {"namedtuple", "layers", "nn", "python"}),
        ("tensorflow.contrib.graph_editor.select", {"get_walks_union_ops"}, {"iteritems", "tf_ops"}),
        ("tensorflow.contrib.predictor", {"from_saved_model"}, {"predictor", "saved_model_predictor"}),
        ("tensorflow.contrib.hooks", {"ProfilerHook"}, {"remove_undocumented"}),
    ],
)
def test_public_names(module, public, imported):
    assert public <= known_names.public_names(module)
    assert not imported & known_names.public_names(module)


@pytest.mark.parametrize(
    "name",
    [
        # names that a module of tf.contrib only imports, and names below an alias of a module
        "tensorflow.contrib.slim.array_ops.concat",
        "tensorflow.contrib.slim.losses.metric_learning.npairs_loss",
        "tensorflow.contrib.graph_editor.transform.select.util.ListView",
        "tensorflow.contrib.eager.metrics.Mean",
    ],
)
def test_names_that_are_not_public_are_recorded_too(name):
    assert known_names.is_name_of_1_15(name)
    assert not known_names.is_name_of_1_15(name + "x")


def test_recording_is_that_of_the_running_1_15():
    if not tree.is_1_15():
        pytest.skip("needs TensorFlow 1.15")
    left_out = ("_eager_fallback", "_swigregister")
    for module, names in record_names.public_modules().items():
        plain = {each for each in names if not each.startswith("*") and not each.endswith(left_out)}
        assert plain <= known_names.names_in(module), module


def test_public_names_of_contrib_are_those_of_dir():
    if not tree.is_1_15():
        pytest.skip("needs TensorFlow 1.15")
    contrib = importlib.import_module("tensorflow.contrib")
    # `python` is there once another test has imported a module below it.
    left_out = {"absolute_import", "division", "print_function", "python"}
    for part in ("data", "eager", "rnn", "staging", "tpu"):
        public = {name for name in dir(getattr(contrib, part)) if not name.startswith("_")} - left_out
        assert known_names.public_names("tensorflow.contrib." + part) - left_out == public, part


@pytest.mark.parametrize(
    "name",
    ["tensorflow", "tensorflow.concat_v2", "tensorflow.nn.seq2seq", "tensorflow.nn.math_ops.matmul", "tensorflow.sdca",
     "tensorflow.train.SummaryWriter", "tensorflow.contrib.graph_editor.reroute_a2b", "tensorflow.compat.v1.unpack"],
)
def test_names_of_0_12(name):
    assert known_names.OF_0_12.is_name(name)


@pytest.mark.parametrize("name", ["tensorflow.data", "tensorflow.layers", "tensorflow.nn.np", "tensorflow.concat_v3"])
def test_not_names_of_0_12(name):
    # tf.data and tf.layers came with 1.x; numpy is not a part of tf.nn
    assert not known_names.OF_0_12.is_name(name)


def test_arguments_of_0_12_are_in_order():
    assert known_names.OF_0_12.arguments("tensorflow.concat")[:2] == ("concat_dim", "values")
    assert known_names.OF_0_12.arguments("tensorflow.einsum_v2") is None
