"""Keras 2 by an import of its own, which is where the launcher sends `import keras` of scripts."""
import sys

from legacy_towers.oldtf.keras2.standalone import tree

tree.install()
# An import gives what stands here at its end.
sys.modules[__name__] = tree.root()
