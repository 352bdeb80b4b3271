"""Names of tensorflow.python that 2.x moved are found where they are now."""
import pytest

from legacy_towers.compat import old_places, tf
from legacy_towers.oldtf import known_names, tree

ONLY_2 = pytest.mark.skipif("tree.is_1_15()", reason="on TensorFlow 1.15 they are where they were")
# Not defined there, but imported by that module from another: these are not recorded.
IMPORTED_THERE = (
    "graph_util.convert_variables_to_constants", "get_default_session", "internal_convert_to_tensor", "_rnn",
    "ops.nn.rnn_cell",
)
MADE_BY_KERAS = "dense_features.DenseFeatures"


@pytest.mark.parametrize("name", sorted(old_places.places()))
def test_every_row_is_a_name_of_1_15(name):
    if name.endswith(IMPORTED_THERE):
        return
    assert known_names.is_name_of_1_15(name)


@ONLY_2
@pytest.mark.parametrize("name", [
    pytest.param(each, marks=pytest.mark.needs_layers) if each.endswith(MADE_BY_KERAS) else each
    for each in sorted(old_places.places())
])
def test_every_row_leads_somewhere(name):
    assert old_places.find(name) is not None


@ONLY_2
def test_the_tree_finds_them():
    python = tree.module("tensorflow.python")
    assert python.framework.ops.Tensor is tf.Tensor
    assert python.ops.control_flow_ops.while_loop is tf.while_loop
    assert python.util.nest.is_sequence([1]) and not python.util.nest.is_sequence(1)
    assert tree.module("tensorflow.python.training.training_ops").resource_apply_adam is not None
    assert python.matmul is tf.matmul
    assert python.pywrap_tensorflow_internal.NewCheckpointReader is tf.train.NewCheckpointReader
    assert tree.module("tensorflow.python.training.tracking.base").Trackable is not None


@ONLY_2
@pytest.mark.needs_layers
def test_modules_that_other_modules_imported():
    rnn = tree.module("tensorflow.python.ops.rnn")
    assert rnn.control_flow_ops.while_loop is tf.while_loop and rnn.nest.is_sequence([1])
    assert tree.module("tensorflow.python.ops.rnn_cell_impl").vs.variable_scope is tf.variable_scope


def test_unknown_names_are_not_found():
    assert old_places.find("tensorflow.python.ops.math_ops.nonsense") is None
    assert old_places.find("tensorflow.python.nonsense") is None
