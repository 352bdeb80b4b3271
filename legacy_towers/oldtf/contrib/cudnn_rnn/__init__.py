"""tf.contrib.cudnn_rnn, computed by the compatible cells on any device.

Not served are the classes that read and write cuDNN's own form of the parameters: there is no such form here.
"""
from legacy_towers.oldtf.contrib.cudnn_rnn.cells import CudnnCompatibleGRUCell, CudnnCompatibleLSTMCell
from legacy_towers.oldtf.contrib.cudnn_rnn.layers import CudnnGRU, CudnnLSTM, CudnnRNNRelu, CudnnRNNTanh

__all__ = [
    "CudnnCompatibleGRUCell",
    "CudnnCompatibleLSTMCell",
    "CudnnGRU",
    "CudnnLSTM",
    "CudnnRNNRelu",
    "CudnnRNNTanh",
]
