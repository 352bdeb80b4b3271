"""tensorflow.python.layers.convolutional, with its aliases of TensorFlow 1.x."""
from legacy_towers.compat.versions import tf

Conv1D = Convolution1D = tf.layers.Conv1D
Conv2D = Convolution2D = tf.layers.Conv2D
Conv3D = Convolution3D = tf.layers.Conv3D
SeparableConv1D = tf.layers.SeparableConv1D
SeparableConv2D = SeparableConvolution2D = tf.layers.SeparableConv2D
Conv2DTranspose = Convolution2DTranspose = Deconvolution2D = Deconv2D = tf.layers.Conv2DTranspose
Conv3DTranspose = Convolution3DTranspose = Deconvolution3D = Deconv3D = tf.layers.Conv3DTranspose
conv1d = convolution1d = tf.layers.conv1d
conv2d = convolution2d = tf.layers.conv2d
conv3d = convolution3d = tf.layers.conv3d
separable_conv1d = tf.layers.separable_conv1d
separable_conv2d = separable_convolution2d = tf.layers.separable_conv2d
conv2d_transpose = convolution2d_transpose = deconvolution2d = deconv2d = tf.layers.conv2d_transpose
conv3d_transpose = convolution3d_transpose = deconvolution3d = deconv3d = tf.layers.conv3d_transpose
