"""Running a script whose imports of TensorFlow see the tree."""

# Modules of Python that load files or start programs -> what the modules of a script get instead, so that files of
# theirs are loaded by us there, too.
VIEWS = {
    "importlib": "legacy_towers.oldtf.launch.dynamic",
    "importlib.machinery": "legacy_towers.oldtf.launch.dynamic_machinery",
    "importlib.util": "legacy_towers.oldtf.launch.dynamic_util",
    "imp": "legacy_towers.oldtf.changed.python.imp",
    "subprocess": "legacy_towers.oldtf.launch.dynamic_subprocess",
    "runpy": "legacy_towers.oldtf.launch.dynamic_runpy",
}
