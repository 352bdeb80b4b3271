"""tensorflow.python.layers: the modules of the classes and functions of tf.layers."""
