"""Private modules of tf.contrib are other names of the public packages."""
import importlib
import types

import pytest

from legacy_towers.compat.tf1 import tree
from legacy_towers.compat.tf1.contrib.symbols import modules
from legacy_towers.compat.tf1.missing import MissingName

# Package of tf.contrib -> a package that it needs, which may not be installed.
OPTIONAL = {"distributions": "tensorflow_probability"}
NAMES = [row.name for row in modules.SYMBOLS]
NEED_LAYERS = ("grid_rnn_cell",)


@pytest.mark.parametrize("name", [
    pytest.param(each, marks=pytest.mark.needs_layers) if each.endswith(NEED_LAYERS) else each for each in NAMES
])
def test_module_can_be_imported(name):
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
    [
        "image.python.ops.distort_image_ops.random_hsv_in_yiq",
        "nn.python.ops.alpha_dropout.alpha_dropout",
        "nn.python.ops.sampling_ops.rank_sampled_softmax_loss",
        "nn.python.ops.scaled_softplus.scaled_softplus",
        "sparsemax.python.ops.sparsemax_loss.sparsemax_loss",
    ],
)
def test_names_are_those_of_the_public_package(name):
    module, _, attribute = name.rpartition(".")
    found = getattr(tree.module("tensorflow.contrib." + module), attribute)
    if not tree.is_1_15():
        assert found is getattr(tree.module("tensorflow.contrib." + name.split(".")[0]), attribute)


@pytest.mark.skipif(tree.is_1_15(), reason="checks the errors of legacy_towers")
def test_missing_name_raises():
    with pytest.raises(MissingName, match="distort_image_ops.absent"):
        print(tree.module("tensorflow.contrib.image.python.ops.distort_image_ops").absent)


def test_unsupported_module_can_be_imported():
    # Scripts import it at the top of the file, and use it with --use_tpu only.
    checkpoints = importlib.import_module(tree.IMPORTED_AS + ".contrib.tpu.python.tpu.async_checkpoint")
    if tree.is_1_15():
        assert checkpoints.AsyncCheckpointSaverHook
        return
    with pytest.raises(MissingName, match="AsyncCheckpointSaverHook was part of TensorFlow 1.15.*TPUs"):
        print(checkpoints.AsyncCheckpointSaverHook)


def test_unknown_module_raises_import_error():
    with pytest.raises(ImportError):
        tree.module("tensorflow.contrib.tpu.python.tpu.asynchronous_checkpoint")


def test_state_saver_module_has_the_public_class():
    module = tree.module("tensorflow.contrib.training.python.training.sequence_queueing_state_saver")
    assert module.SequenceQueueingStateSaver is tree.module("tensorflow.contrib.training").SequenceQueueingStateSaver
