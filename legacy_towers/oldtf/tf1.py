"""The view of TensorFlow 1.x by an import of its own, in any process: `import legacy_towers.oldtf.tf1 as tf`.

What a script's functions refer to is found again under this name, in worker processes that unpickle them.
"""
import sys

from legacy_towers.oldtf import tree

tree.install()
# An import gives what stands here at its end.
sys.modules[__name__] = tree.root()
