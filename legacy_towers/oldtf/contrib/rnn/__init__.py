"""tf.contrib.rnn: the cells of tf.nn.rnn_cell and many more, and functions that unroll them."""
from legacy_towers.compat import tf
from legacy_towers.compat.rnn import best_effort_input_batch_size, transpose_batch_time
from legacy_towers.oldtf.contrib.rnn.block import (
    GRUBlockCell,
    GRUBlockCellV2,
    LSTMBlockCell,
    LSTMBlockFusedCell,
    LSTMBlockWrapper,
)
from legacy_towers.oldtf.contrib.rnn.convolutional import Conv1DLSTMCell, Conv2DLSTMCell, Conv3DLSTMCell, ConvLSTMCell
from legacy_towers.oldtf.contrib.rnn.frequency import BidirectionalGridLSTMCell, GridLSTMCell, TimeFreqLSTMCell
from legacy_towers.oldtf.contrib.rnn.fused import FusedRNNCell, FusedRNNCellAdaptor, TimeReversedFusedRNN
from legacy_towers.oldtf.contrib.rnn.independent import IndRNNCell, IndyGRUCell, IndyLSTMCell
from legacy_towers.oldtf.contrib.rnn.lstm_variants import CoupledInputForgetGateLSTMCell, GLSTMCell
from legacy_towers.oldtf.contrib.rnn.normalized_lstm import LayerNormBasicLSTMCell
from legacy_towers.oldtf.contrib.rnn.parts import LayerRNNCell
from legacy_towers.oldtf.contrib.rnn.phased import PhasedLSTMCell
from legacy_towers.oldtf.contrib.rnn.projections import (
    EmbeddingWrapper,
    InputProjectionWrapper,
    OutputProjectionWrapper,
)
from legacy_towers.oldtf.contrib.rnn.small_cells import IntersectionRNNCell, NASCell, SRUCell, UGRNNCell
from legacy_towers.oldtf.contrib.rnn.stacked import stack_bidirectional_dynamic_rnn, stack_bidirectional_rnn
from legacy_towers.oldtf.contrib.rnn.wrappers import AttentionCellWrapper, CompiledWrapper, HighwayWrapper

BasicLSTMCell = tf.nn.rnn_cell.BasicLSTMCell
BasicRNNCell = tf.nn.rnn_cell.BasicRNNCell
DeviceWrapper = tf.nn.rnn_cell.DeviceWrapper
DropoutWrapper = tf.nn.rnn_cell.DropoutWrapper
GRUCell = tf.nn.rnn_cell.GRUCell
LSTMCell = tf.nn.rnn_cell.LSTMCell
LSTMStateTuple = tf.nn.rnn_cell.LSTMStateTuple
MultiRNNCell = tf.nn.rnn_cell.MultiRNNCell
RNNCell = tf.nn.rnn_cell.RNNCell
ResidualWrapper = tf.nn.rnn_cell.ResidualWrapper
static_bidirectional_rnn = tf.nn.static_bidirectional_rnn
static_rnn = tf.nn.static_rnn
static_state_saving_rnn = tf.nn.static_state_saving_rnn

__all__ = [
    "AttentionCellWrapper",
    "BasicLSTMCell",
    "BasicRNNCell",
    "BidirectionalGridLSTMCell",
    "CompiledWrapper",
    "Conv1DLSTMCell",
    "Conv2DLSTMCell",
    "Conv3DLSTMCell",
    "ConvLSTMCell",
    "CoupledInputForgetGateLSTMCell",
    "DeviceWrapper",
    "DropoutWrapper",
    "EmbeddingWrapper",
    "FusedRNNCell",
    "FusedRNNCellAdaptor",
    "GLSTMCell",
    "GRUBlockCell",
    "GRUBlockCellV2",
    "GRUCell",
    "GridLSTMCell",
    "HighwayWrapper",
    "IndRNNCell",
    "IndyGRUCell",
    "IndyLSTMCell",
    "InputProjectionWrapper",
    "IntersectionRNNCell",
    "LSTMBlockCell",
    "LSTMBlockFusedCell",
    "LSTMBlockWrapper",
    "LSTMCell",
    "LSTMStateTuple",
    "LayerNormBasicLSTMCell",
    "LayerRNNCell",
    "MultiRNNCell",
    "NASCell",
    "OutputProjectionWrapper",
    "PhasedLSTMCell",
    "RNNCell",
    "ResidualWrapper",
    "SRUCell",
    "TimeFreqLSTMCell",
    "TimeReversedFusedRNN",
    "UGRNNCell",
    "best_effort_input_batch_size",
    "stack_bidirectional_dynamic_rnn",
    "stack_bidirectional_rnn",
    "static_bidirectional_rnn",
    "static_rnn",
    "static_state_saving_rnn",
    "transpose_batch_time",
]
