"""The TensorFlow 1.x API as an importable module, in any process.

    import legacy_towers.compat.tf1.importable.tensorflow as tf

Worker processes that unpickle a script's functions find the modules that these use under this name.
"""
import sys

from legacy_towers.compat.tf1 import tree

tree.install()
# An import statement returns this entry of sys.modules.
sys.modules[__name__] = tree.root()
