"""The version that scripts of TensorFlow 1.x are told, on whatever TensorFlow they run.

Scripts branch on it: for 2.x some leave `tf` for tf.compat.v1 and rewrite themselves, some refuse to start, and for 1.x
they take the branch whose names the view has. So the view is of version 1.15.5, the last of 1.x, and says so.
`from legacy_towers.compat import tf` and what libraries import tell the version that runs.
"""
VERSION = "1.15.5"
# Of the Keras that came with it.
KERAS_VERSION = "2.2.4-tf"
