"""tensorflow.python.layers.pooling, with its aliases of TensorFlow 1.x."""
from legacy_towers.compat.versions import tf

AveragePooling1D = tf.layers.AveragePooling1D
AveragePooling2D = AvgPool2D = tf.layers.AveragePooling2D
AveragePooling3D = tf.layers.AveragePooling3D
MaxPooling1D = tf.layers.MaxPooling1D
MaxPooling2D = MaxPool2D = tf.layers.MaxPooling2D
MaxPooling3D = tf.layers.MaxPooling3D
average_pooling1d = tf.layers.average_pooling1d
average_pooling2d = avg_pool2d = tf.layers.average_pooling2d
average_pooling3d = tf.layers.average_pooling3d
max_pooling1d = tf.layers.max_pooling1d
max_pooling2d = max_pool2d = tf.layers.max_pooling2d
max_pooling3d = tf.layers.max_pooling3d
