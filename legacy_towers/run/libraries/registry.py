"""Finds the library shims: the modules that a script imports in place of modules that Python and libraries changed.

A script for TensorFlow 1.15 was written for Python 3.7 or older and numpy 1.18 or older. Each module that has since
removed names which scripts use has a shim. A shim has all names of the installed module and the removed ones.

A shim registers itself by its path in this folder:

    numpy/__init__.py                   numpy
    scipy/misc.py                       scipy.misc
    sklearn/feature_extraction__text    sklearn.feature_extraction.text     "__" replaces a dot
    python/html__parser.py              html.parser                         modules of Python itself
    numpy/_arguments.py                 not a shim: a leading "_" marks helper modules

The docstring of a shim lists what it adds. The libraries need not be installed.
"""
import os
from typing import Dict

from legacy_towers.run.libraries.needed import PRIVATE_SINCE_NUMPY_2, are_needed

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_PACKAGE = "legacy_towers.run.libraries"
_OF_PYTHON = "python"
# Modules that were renamed and not changed otherwise.
_KERAS_PREPROCESSING = "legacy_towers.compat.tf1.importable.tensorflow.keras.preprocessing"
_RENAMED: Dict[str, str] = {
    "scipy.sparse.linalg.eigen": "scipy.sparse.linalg",
    "scipy.sparse.linalg.eigen.arpack": "scipy.sparse.linalg",
    "sklearn.datasets.samples_generator": "sklearn.datasets",
    "sklearn.externals.joblib": "joblib",
    "keras_preprocessing": _KERAS_PREPROCESSING,
    "keras_preprocessing.image": _KERAS_PREPROCESSING + ".image",
    "keras_preprocessing.sequence": _KERAS_PREPROCESSING + ".sequence",
    "keras_preprocessing.text": _KERAS_PREPROCESSING + ".text",
}
_RENAMED.update({"numpy.lib." + name: _PACKAGE + ".numpy.lib" for name in PRIVATE_SINCE_NUMPY_2})


def _shims() -> Dict[str, str]:
    """Returns module -> its shim; imports neither."""
    found: Dict[str, str] = {}
    for group in sorted(os.listdir(_FOLDER)):
        folder = os.path.join(_FOLDER, group)
        if group.startswith("_") or not os.path.isdir(folder):
            continue
        prefix = "" if group == _OF_PYTHON else group + "."
        if prefix:
            found[group] = "{}.{}".format(_PACKAGE, group)
        for file in sorted(os.listdir(folder)):
            name, extension = os.path.splitext(file)
            if extension == ".py" and not name.startswith("_"):
                found[prefix + name.replace("__", ".")] = "{}.{}.{}".format(_PACKAGE, group, name)
    return found


# Module -> what a script imports instead: its shim or its new name.
SHIMS: Dict[str, str] = dict(_shims(), **_RENAMED)


def needed_shims() -> Dict[str, str]:
    """Returns `SHIMS`; an empty dict on a Python that lacks none of the names."""
    return dict(SHIMS) if are_needed() else {}
