"""Scripts that import tf_slim itself get it as it works on today's TensorFlow."""
import pytest
from oldtf import recorded_cases
from oldtf.launch import here

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


@pytest.mark.skipif(recorded_cases.is_1_15(), reason="tf_slim works there, where a script's user has installed it")
def test_batch_norm_of_tf_slim(tmp_path):
    found = here.run(tmp_path, SCRIPT)
    moving = ["beta", "moving_mean", "moving_variance"]
    assert found["names"] == ["conv/weights"] + ["conv/BatchNorm/" + each for each in moving]
    assert found["updates"] == 2 and found["same"]


def test_a_tf_slim_of_the_scripts_own_is_taken(tmp_path):
    found = here.run(tmp_path, "import tf_slim\nfrom tf_slim.nets import name\n", **{
        "tf_slim/__init__": "mine = True\n", "tf_slim/nets": "name = 'own'\n"})  # fmt: skip
    assert found["tf_slim"].mine and found["name"] == "own"
