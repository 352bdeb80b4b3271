"""The version of TensorFlow that scripts of 1.x see, whichever version runs.

Scripts branch on it: on 2.x some switch to tf.compat.v1 and some stop with an error, and on 1.x they use names that the
view has. So the version of the view is 1.15.5, the last of 1.x. `legacy_towers.compat.tf` and libraries see the real
version.
"""
VERSION = "1.15.5"
# The version of tf.keras in TensorFlow 1.15.
KERAS_VERSION = "2.2.4-tf"
