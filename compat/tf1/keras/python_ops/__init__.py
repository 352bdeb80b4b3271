"""The modules of RNN cells in tensorflow.python.ops."""
