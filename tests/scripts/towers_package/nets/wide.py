import tensorflow as tf
from tensorflow.contrib.layers import fully_connected, l2_regularizer
from tensorflow.contrib.framework import arg_scope

from ..common import scoped

NUM_CLASSES = 4


@scoped('wide')
def wide_net(features):
    with arg_scope([fully_connected], weights_regularizer=l2_regularizer(1e-3),
                   weights_initializer=tf.contrib.layers.xavier_initializer(seed=2)):
        net = fully_connected(features, 9, activation_fn=tf.nn.tanh, scope='hidden')
        return fully_connected(net, NUM_CLASSES, activation_fn=None, scope='logits')
