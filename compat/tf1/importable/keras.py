"""The package `keras` of Keras 2, which `import keras` of scripts is rewritten to under `legacy-towers run`."""
import sys

from legacy_towers.compat.tf1 import tree as tensorflow_tree
from legacy_towers.compat.tf1.keras.standalone import tree

# The names of keras are looked up in tf.keras of the view: that of the installed TensorFlow may be Keras 3.
tensorflow_tree.install()
tree.install()
# An import statement returns this entry of sys.modules.
sys.modules[__name__] = tree.root()
