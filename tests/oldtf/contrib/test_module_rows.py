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
    if name.startswith("tensorflow.contrib."):
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


def test_a_module_of_which_nothing_is_served_may_be_imported():
    # Scripts for TPUs import it at their top, and use it where a flag says so.
    checkpoints = importlib.import_module("legacy_towers.oldtf.tf1.contrib.tpu.python.tpu.async_checkpoint")
    if tree.is_1_15():
        assert checkpoints.AsyncCheckpointSaverHook
        return
    with pytest.raises(MissingName, match="AsyncCheckpointSaverHook was part of TensorFlow 1.15.*TPUs"):
        print(checkpoints.AsyncCheckpointSaverHook)


def test_a_module_inside_that_never_was_is_missing():
    with pytest.raises(ImportError):
        tree.module("tensorflow.contrib.tpu.python.tpu.asynchronous_checkpoint")


def test_the_module_of_state_savers_has_them():
    module = tree.module("tensorflow.contrib.training.python.training.sequence_queueing_state_saver")
    assert module.SequenceQueueingStateSaver is tree.module("tensorflow.contrib.training").SequenceQueueingStateSaver
