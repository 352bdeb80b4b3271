"""tf.contrib.cudnn_rnn, computed by the CudnnCompatible cells on any device.

The classes that convert cuDNN's opaque parameters are not supported: the variables here have no opaque form.
"""
from legacy_towers.compat.tf1.contrib.cudnn_rnn.cells import CudnnCompatibleGRUCell, CudnnCompatibleLSTMCell
from legacy_towers.compat.tf1.contrib.cudnn_rnn.layers import CudnnGRU, CudnnLSTM, CudnnRNNRelu, CudnnRNNTanh

__all__ = [
    "CudnnCompatibleGRUCell",
    "CudnnCompatibleLSTMCell",
    "CudnnGRU",
    "CudnnLSTM",
    "CudnnRNNRelu",
    "CudnnRNNTanh",
]
