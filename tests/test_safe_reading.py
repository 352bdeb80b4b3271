"""Files are read without executing anything in them: no pickle, and no pickled arrays in numpy's files."""
import ast

import pytest
from test_layers import MODULES, read

# Modules that unpickle or import what does -> why.
EXCEPTIONS = {
    "compat.tf1.contrib.learn.preprocessing.text": "the files of tf.contrib.learn's VocabularyProcessor are pickles",
    "run.libraries.numpy": "numpy.loads, for old scripts that call it",
    "run.libraries.sklearn.externals": "sklearn.externals.joblib, for old scripts that import it",
    "run.python2.pickles": "pickle as Python 2 has it, for old scripts that use it",
}
PICKLES = ("pickle", "cPickle", "dill", "shelve", "marshal", "joblib")


@pytest.fixture(autouse=True)
def fresh_graph():
    """In place of the one in conftest.py: nothing here needs TensorFlow."""


def problems(source):
    """Returns the lines of Python source that import a pickling module, or read numpy's files with pickles."""
    found = []
    for node in ast.walk(ast.parse(source)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        if any(name.split(".")[0] in PICKLES for name in names):
            found.append("line {} imports {}".format(node.lineno, ", ".join(names)))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "load":
            is_numpy = isinstance(node.func.value, ast.Name) and node.func.value.id in ("np", "numpy")
            safe = [word for word in node.keywords if word.arg == "allow_pickle" and word.value.value is False]
            if is_numpy and not safe:
                found.append("line {} calls numpy.load without allow_pickle=False".format(node.lineno))
    return found


@pytest.mark.parametrize("source, count", [
    ("import pickle", 1), ("from joblib import load", 1), ("np.load(path)", 1), ("np.load(path, allow_pickle=True)", 1),
    ("np.load(path, allow_pickle=False)", 0), ("json.load(file)", 0), ("import pickled_things", 0),
])
def test_unsafe_reading_is_found(source, count):
    assert len(problems(source)) == count


def test_the_packages_read_no_pickles():
    found = {module: problems(read(path)) for module, path in MODULES.items() if module not in EXCEPTIONS}
    assert {module: lines for module, lines in found.items() if lines} == {}
    assert [module for module in EXCEPTIONS if module not in MODULES or not problems(read(MODULES[module]))] == []
