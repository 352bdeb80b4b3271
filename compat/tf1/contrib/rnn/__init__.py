"""tf.contrib.rnn: the cells of tf.nn.rnn_cell, further cells and wrappers, and functions that unroll them."""
from legacy_towers.compat.tf1.contrib.rnn.block import (
    GRUBlockCell,
    GRUBlockCellV2,
    LSTMBlockCell,
    LSTMBlockFusedCell,
    LSTMBlockWrapper,
)
from legacy_towers.compat.tf1.contrib.rnn.convolutional import (
    Conv1DLSTMCell,
    Conv2DLSTMCell,
    Conv3DLSTMCell,
    ConvLSTMCell,
)
from legacy_towers.compat.tf1.contrib.rnn.frequency import BidirectionalGridLSTMCell, GridLSTMCell, TimeFreqLSTMCell
from legacy_towers.compat.tf1.contrib.rnn.fused import FusedRNNCell, FusedRNNCellAdaptor, TimeReversedFusedRNN
from legacy_towers.compat.tf1.contrib.rnn.independent import IndRNNCell, IndyGRUCell, IndyLSTMCell
from legacy_towers.compat.tf1.contrib.rnn.lstm_variants import CoupledInputForgetGateLSTMCell, GLSTMCell
from legacy_towers.compat.tf1.contrib.rnn.normalized_lstm import LayerNormBasicLSTMCell
from legacy_towers.compat.tf1.contrib.rnn.parts import LayerRNNCell
from legacy_towers.compat.tf1.contrib.rnn.phased import PhasedLSTMCell
from legacy_towers.compat.tf1.contrib.rnn.projections import (
    EmbeddingWrapper,
    InputProjectionWrapper,
    OutputProjectionWrapper,
)
from legacy_towers.compat.tf1.contrib.rnn.small_cells import IntersectionRNNCell, NASCell, SRUCell, UGRNNCell
from legacy_towers.compat.tf1.contrib.rnn.stacked import stack_bidirectional_dynamic_rnn, stack_bidirectional_rnn
from legacy_towers.compat.tf1.contrib.rnn.wrappers import AttentionCellWrapper, CompiledWrapper, HighwayWrapper
from legacy_towers.compat.tf1.private.rnn import best_effort_input_batch_size, transpose_batch_time
from legacy_towers.compat.versions import tf

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
