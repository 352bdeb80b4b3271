"""The modules inside the parts of tf.contrib are those of TensorFlow 1.15, and give what their part has."""
import importlib
import types

import pytest

from legacy_towers.oldtf import tree
from legacy_towers.oldtf.contrib import module_rows
from legacy_towers.oldtf.missing import MissingName

# Needs a package that is not installed on every TensorFlow.
OPTIONAL = {"distributions": "tensorflow_probability"}
NAMES = [row.name for row in module_rows.ROWS]
OF_LAYERS = ("grid_rnn_cell",)


@pytest.mark.parametrize("name", [
    pytest.param(each, marks=pytest.mark.needs_layers) if each.endswith(OF_LAYERS) else each for each in NAMES
])
def test_the_module_is_there(name):
    if tree.is_1_15():
        importlib.import_module(name)
        return
    part = name.split(".")[2]
    if part in OPTIONAL:
        pytest.importorskip(OPTIONAL[part])
    module = tree.module(name)
    assert isinstance(module, types.ModuleType)
    assert set(dir(tree.module("tensorflow.contrib." + part))) & set(dir(module))


@pytest.mark.parametrize(
    "name",
    ["image.python.ops.distort_image_ops.random_hsv_in_yiq", "sparsemax.python.ops.sparsemax_loss.sparsemax_loss"],
)
def test_its_names_are_those_of_the_part(name):
    module, _, attribute = name.rpartition(".")
    found = getattr(tree.module("tensorflow.contrib." + module), attribute)
    if not tree.is_1_15():
        assert found is getattr(tree.module("tensorflow.contrib." + name.split(".")[0]), attribute)


@pytest.mark.skipif(tree.is_1_15(), reason="the real one is there")
def test_what_the_part_lacks_is_missing_at_its_line():
    with pytest.raises(MissingName, match="distort_image_ops.absent"):
        print(tree.module("tensorflow.contrib.image.python.ops.distort_image_ops").absent)
