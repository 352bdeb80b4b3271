"""The modules below tf.contrib.rnn.python.ops that scripts import: all cells, and private names of TensorFlow 1.15."""
from legacy_towers.compat.tf1.contrib.rnn import *  # noqa: F403
from legacy_towers.compat.tf1.contrib.rnn.normalized_lstm import LayerNormLSTMCell, WeightNormLSTMCell  # noqa: F401
from legacy_towers.compat.tf1.contrib.rnn.parts import LayerRNNCell  # noqa: F401
from legacy_towers.compat.tf1.core.linear import Linear, linear
from legacy_towers.compat.versions import tf

bidirectional_dynamic_rnn = tf.nn.bidirectional_dynamic_rnn
dynamic_rnn = tf.nn.dynamic_rnn
raw_rnn = tf.nn.raw_rnn
_Linear = Linear
_linear = linear
_BIAS_VARIABLE_NAME = "bias"
_WEIGHTS_VARIABLE_NAME = "kernel"
