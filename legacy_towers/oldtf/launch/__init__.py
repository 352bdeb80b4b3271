"""Running a script whose imports of TensorFlow see the tree."""

# Modules of Python that import by name -> what the modules of a script get instead: their own files are loaded by us.
VIEWS = {
    "importlib": "legacy_towers.oldtf.launch.dynamic",
    "importlib.machinery": "legacy_towers.oldtf.launch.dynamic_machinery",
    "importlib.util": "legacy_towers.oldtf.launch.dynamic_util",
    "imp": "legacy_towers.oldtf.changed.python.imp",
    "runpy": "legacy_towers.oldtf.launch.dynamic_runpy",
}
