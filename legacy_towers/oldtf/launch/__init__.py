"""Running a script whose imports of TensorFlow see the tree."""

# What stands in for importlib in the modules of a script.
DYNAMIC = "legacy_towers.oldtf.launch.dynamic"
