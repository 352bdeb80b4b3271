"""Scripts that import tf_slim get slim_library.tf_slim."""
import pytest
from run import here
from tf1_cases import recorded_cases

SCRIPT = """
import tensorflow.compat.v1 as tf
import tf_slim as slim
from tf_slim.layers import layers as layers_lib
import tf_slim.nets.resnet_utils
with tf.Graph().as_default():
    with slim.arg_scope([slim.conv2d], normalizer_fn=slim.batch_norm):
        net = slim.conv2d(tf.ones([2, 4, 4, 3]), 4, 3, scope="conv")
    names = [each.op.name for each in tf.global_variables()]
    updates = len(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
same = layers_lib.conv2d is slim.conv2d and tf_slim.nets.resnet_utils.subsample is not None
"""


@pytest.mark.skipif(recorded_cases.is_1_15(), reason="tf_slim itself works on TensorFlow 1.15")
def test_batch_norm_of_tf_slim(tmp_path):
    found = here.run(tmp_path, SCRIPT)
    variables = ["beta", "moving_mean", "moving_variance"]
    assert found["names"] == ["conv/weights"] + ["conv/BatchNorm/" + each for each in variables]
    assert found["updates"] == 2 and found["same"]


def test_a_tf_slim_beside_the_script_takes_precedence(tmp_path):
    found = here.run(tmp_path, "import tf_slim\nfrom tf_slim.nets import name\n", **{
        "tf_slim/__init__": "mine = True\n", "tf_slim/nets": "name = 'own'\n"})  # fmt: skip
    assert found["tf_slim"].mine and found["name"] == "own"
