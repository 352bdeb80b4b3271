"""Names of tensorflow.python that 2.x moved are found in their modules of today."""
import pytest

from legacy_towers.compat.tf1 import known_names, tree
from legacy_towers.compat.tf1.private import moved_names
from legacy_towers.compat.versions import tf

ONLY_2 = pytest.mark.skipif("tree.is_1_15()", reason="TensorFlow 1.15 has them in their old modules")
# Names that the module imports from another, which are not recorded.
IMPORTED_THERE = (
    "graph_util.convert_variables_to_constants", "get_default_session", "internal_convert_to_tensor", "_rnn",
    "ops.nn.rnn_cell",
)
MADE_BY_KERAS = "dense_features.DenseFeatures"


@pytest.mark.parametrize("name", sorted(moved_names.locations()))
def test_every_row_is_a_name_of_1_15(name):
    if name.endswith(IMPORTED_THERE):
        return
    assert known_names.is_name_of_1_15(name)


@ONLY_2
@pytest.mark.parametrize("name", [
    pytest.param(each, marks=pytest.mark.needs_layers) if each.endswith(MADE_BY_KERAS) else each
    for each in sorted(moved_names.locations())
])
def test_find_returns_a_value_for_every_row(name):
    assert moved_names.find(name) is not None


@ONLY_2
def test_the_tree_has_moved_names():
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
def test_modules_are_found_in_modules_that_imported_them():
    rnn = tree.module("tensorflow.python.ops.rnn")
    assert rnn.control_flow_ops.while_loop is tf.while_loop and rnn.nest.is_sequence([1])
    assert tree.module("tensorflow.python.ops.rnn_cell_impl").vs.variable_scope is tf.variable_scope


def test_find_returns_none_for_unknown_names():
    assert moved_names.find("tensorflow.python.ops.math_ops.nonsense") is None
    assert moved_names.find("tensorflow.python.nonsense") is None
