"""tensorflow.python.layers: the classes and functions of tf.layers, under the names of their modules."""
