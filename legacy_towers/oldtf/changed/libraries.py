"""Python's and numpy's own modules as the scripts of their time knew them.

A script that ran on TensorFlow 1.15 ran on Python 3.7 or older and on numpy 1.18 or older. What these modules dropped
since then, and scripts use, is given back in the script's own files only: `VIEWS` says which module its import
statements get instead. A view has all that the module has today, and what it had.
"""
import sys
from typing import Dict

_HERE = "legacy_towers.oldtf.changed."

# What a script imports -> what it gets. Each module's docstring says what it adds. Not all libraries need be there.
VIEWS: Dict[str, str] = {
    "numpy": _HERE + "numpy_view",
    "numpy.lib": _HERE + "numpy_lib",
    "numpy.random": _HERE + "numpy_random",
    "scipy": _HERE + "scipy_view",
    "scipy.integrate": _HERE + "scipy_integrate",
    "scipy.linalg": _HERE + "scipy_linalg",
    "scipy.misc": _HERE + "scipy_misc",
    "scipy.signal": _HERE + "scipy_signal",
    "scipy.stats": _HERE + "scipy_stats",
    "scipy.sparse.linalg.eigen": "scipy.sparse.linalg",
    "scipy.sparse.linalg.eigen.arpack": "scipy.sparse.linalg",
    "sklearn": _HERE + "sklearn_view",
    "sklearn.datasets": _HERE + "sklearn_datasets",
    "sklearn.datasets.samples_generator": "sklearn.datasets",
    "sklearn.externals": _HERE + "sklearn_externals",
    "sklearn.externals.joblib": "joblib",
    "sklearn.feature_extraction.text": _HERE + "sklearn_text",
    "sklearn.manifold": _HERE + "sklearn_manifold",
    "sklearn.metrics": _HERE + "sklearn_metrics",
    "sklearn.preprocessing": _HERE + "sklearn_preprocessing",
    "keras_preprocessing": "legacy_towers.oldtf.tf1.keras.preprocessing",
    "keras_preprocessing.image": "legacy_towers.oldtf.tf1.keras.preprocessing.image",
    "keras_preprocessing.sequence": "legacy_towers.oldtf.tf1.keras.preprocessing.sequence",
    "keras_preprocessing.text": "legacy_towers.oldtf.tf1.keras.preprocessing.text",
    "tensorboard": _HERE + "tensorboard_view",
    "tensorboard.plugins": _HERE + "tensorboard_plugins",
    "tensorboard.summary": _HERE + "tensorboard_summary",
    "base64": _HERE + "python.base64",
    "cgi": _HERE + "python.cgi",
    "codecs": _HERE + "python.codecs",
    "collections": _HERE + "python.collections",
    "fractions": _HERE + "python.fractions",
    "html.parser": _HERE + "python.html_parser",
    "imp": _HERE + "python.imp",
    "inspect": _HERE + "python.inspect",
    "json": _HERE + "python.json",
    "math": _HERE + "python.math",
    "pkg_resources": _HERE + "pkg_resources_view",
    "random": _HERE + "python.random",
    "time": _HERE + "python.time",
    "xml.etree.cElementTree": _HERE + "python.elementtree",
}
# Modules of numpy.lib that numpy 2 made its own.
CLOSED = (
    "arraypad arraysetops function_base histograms index_tricks nanfunctions polynomial shape_base twodim_base"
    " type_check ufunclike utils"
).split()
VIEWS.update({"numpy.lib." + name: VIEWS["numpy.lib"] for name in CLOSED})
# The Python from which on the first of these names is missing; before, numpy is old enough too.
_FIRST_WITHOUT = (3, 8)


def are_needed() -> bool:
    """Returns whether this Python, or the numpy that goes with it, lacks any of what the views add."""
    return sys.version_info >= _FIRST_WITHOUT


def views() -> Dict[str, str]:
    """Returns the views that the import statements of a script shall get here."""
    return dict(VIEWS) if are_needed() else {}


def prepare() -> None:
    """Makes numpy print its numbers as it did: 1.5, and not np.float64(1.5), in a list of what a session returned."""
    if not are_needed():
        return
    import numpy

    if int(numpy.__version__.split(".")[0]) >= 2:
        numpy.set_printoptions(legacy="1.25")
