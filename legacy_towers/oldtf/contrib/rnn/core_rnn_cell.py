"""The modules below tf.contrib.rnn.python.ops that scripts import: all cells, and what is private there."""
from legacy_towers.compat import tf
from legacy_towers.oldtf.contrib.rnn import *  # noqa: F403
from legacy_towers.oldtf.contrib.rnn.linear import Linear, linear
from legacy_towers.oldtf.contrib.rnn.normalized_lstm import LayerNormLSTMCell, WeightNormLSTMCell  # noqa: F401
from legacy_towers.oldtf.contrib.rnn.parts import LayerRNNCell  # noqa: F401

bidirectional_dynamic_rnn = tf.nn.bidirectional_dynamic_rnn
dynamic_rnn = tf.nn.dynamic_rnn
raw_rnn = tf.nn.raw_rnn
_Linear = Linear
_linear = linear
_BIAS_VARIABLE_NAME = "bias"
_WEIGHTS_VARIABLE_NAME = "kernel"
