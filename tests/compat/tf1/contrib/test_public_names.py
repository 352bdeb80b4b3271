"""Every public name of tf.contrib is supported, with the arguments of TensorFlow 1.15, or has a reason."""
import pytest
from tf1_cases import recorded_cases
from tf1_cases.contrib import public_names

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import missing, registry, tree
from legacy_towers.compat.versions import supported

# name -> why its arguments differ.
OTHER_ARGUMENTS = {
    "framework.nest.is_sequence": "the argument is called seq in TensorFlow 2.x",
    "framework.nest.is_sequence_or_composite": "see above",
    "framework.nest.assert_shallow_structure": "TensorFlow 2.x has no check_subtrees_length",
    "framework.nest.flatten_up_to": "see above",
    "framework.nest.flatten_with_tuple_paths_up_to": "see above",
    "layers.scale_gradient": "the decorator of tf_slim hides them",
    "opt.LazyAdamOptimizer": "Adam has one more argument in TensorFlow 2.x",
    "opt.NadamOptimizer": "see above",
    "slim.scale_gradient": "the decorator of tf_slim hides them",
    "slim.nets.inception.inception_v3": "that of tf_slim has an option for the auxiliary head",
}
PARTS = sorted(public_names.PARTS)


@pytest.mark.parametrize("part", PARTS)
def test_every_name_is_supported_or_has_a_reason(part):
    if recorded_cases.is_1_15():
        assert public_names.look(part) == public_names.recorded()[part]
        return
    module = tree.module("tensorflow.contrib." + part)
    reasons = registry.reasons()
    for name, arguments in public_names.recorded()[part].items():
        whole = "{}.{}".format(part, name)
        if "tensorflow.contrib." + whole in reasons:
            with pytest.raises(missing.MissingName, match="tf.contrib." + whole):
                getattr(module, name)
            continue
        found = public_names.arguments(getattr(module, name))
        if whole in OTHER_ARGUMENTS:
            # Older versions of TensorFlow 2.x have some of the arguments of 1.15.
            assert found != arguments or supported.parse(tf.__version__).pair < (2, 21), "the reason is out of date"
        else:
            assert found == arguments, whole


@pytest.mark.parametrize(
    "statement, used",
    [
        ("import tensorflow.contrib.slim as slim", "slim.conv2d"),
        ("from tensorflow.contrib import slim, layers", "slim.arg_scope, layers.batch_norm"),
        ("from tensorflow.contrib.slim.python.slim.data import dataset, tfexample_decoder", "dataset.Dataset"),
        ("from tensorflow.contrib.slim.python.slim.learning import train_step", "train_step"),
        ("import tensorflow.contrib.slim as slim", "slim.utils.convert_collection_to_dict, slim.layers.conv2d"),
        ("from tensorflow.contrib import slim", "slim.initializers.xavier_initializer, slim.init_ops.Zeros"),
        ("from tensorflow.contrib.slim.nets import resnet_v1, inception", "resnet_v1.resnet_v1_50"),
        ("from tensorflow.contrib.slim.python.slim.nets import vgg", "vgg.vgg_16"),
        ("from tensorflow.contrib.slim.python.slim.nets.resnet_utils import *", "conv2d_same, subsample"),
        ("from tensorflow.contrib.slim.python.slim.nets.inception_v3 import inception_v3_base", "inception_v3_base"),
        ("from tensorflow.contrib.framework.python.ops import arg_scope, variables", "arg_scope, variables.variable"),
        ("from tensorflow.contrib.framework.python.ops.arg_scope import add_arg_scope", "add_arg_scope"),
        ("from tensorflow.contrib.framework.python.ops import audio_ops as audio", "audio.mfcc, audio.decode_wav"),
        ("from tensorflow.contrib.layers.python.layers import utils, layers, initializers, regularizers",
         "utils.smart_cond, layers.DATA_FORMAT_NHWC, layers.batch_norm, initializers.xavier_initializer"),
        ("from tensorflow.contrib.layers.python.layers import batch_norm as bn", "bn"),
        ("from tensorflow.contrib.layers import xavier_initializer as xavier, flatten", "xavier, flatten"),
        ("from tensorflow.contrib.framework.python.framework import checkpoint_utils as utils", "utils.load_variable"),
        ("from tensorflow.contrib.framework import nest, sort, argsort", "nest.flatten, sort, argsort"),
        ("from tensorflow.contrib.losses.python.metric_learning.metric_loss_ops import npairs_loss", "npairs_loss"),
        ("from tensorflow.contrib.metrics.python.ops import metric_ops", "metric_ops.streaming_auc"),
        ("from tensorflow.contrib.training.python.training.hparam import HParams", "HParams"),
        ("from tensorflow.contrib.training.python.training import hparam, training", "hparam.HParams, training.train"),
    ],
)  # fmt: skip
def test_import_statements_of_scripts(statement, used):
    if not recorded_cases.is_1_15():
        tree.install()
        statement = statement.replace("tensorflow.contrib", tree.IMPORTED_AS + ".contrib")
    names = {}
    exec(statement, names)
    for each in eval("[{}]".format(used), names):
        assert each is not None


def test_modules_share_one_arg_scope():
    contrib = recorded_cases.module("tensorflow.contrib")
    layers = recorded_cases.module("tensorflow.contrib.layers.python.layers.layers")
    assert layers.batch_norm is contrib.layers.batch_norm
    assert layers.conv2d is contrib.slim.conv2d
    assert recorded_cases.module("tensorflow.contrib.framework").arg_scope is contrib.slim.arg_scope
