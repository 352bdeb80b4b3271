"""Views of modules (library shims, and shims of modules that import) pass on the whole namespace of the module."""
import importlib
import sys
import types

import pytest

from legacy_towers.run import replaced_modules
from legacy_towers.run.libraries import registry, views

_DYNAMIC = {name: module for name, module in replaced_modules.replaced_modules().items() if name not in registry.SHIMS}
VIEWS = dict(registry.SHIMS, **_DYNAMIC)
# What a script does not get from the package of this name: old names of modules that are elsewhere or gone.
RENAMED = {"keras_preprocessing", "keras_preprocessing.image", "keras_preprocessing.sequence"}
RENAMED |= {"keras_preprocessing.text", "scipy.sparse.linalg.eigen", "scipy.sparse.linalg.eigen.arpack"}
RENAMED |= {name for name in VIEWS if name.startswith("numpy.lib.")}


@pytest.fixture(autouse=True)
def fresh_graph():
    """Overrides the fixture of conftest.py: these tests create no graph."""


def installed(module):
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        pytest.skip(str(error))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("module", sorted(set(VIEWS) - RENAMED))
def test_a_view_has_the_whole_namespace_of_its_module(module):
    real, view = installed(module), importlib.import_module(VIEWS[module])
    names = set(dir(real)) - views.OF_IMPORTS
    assert [name for name in sorted(names) if not hasattr(view, name)] == []
    plain = [name for name in names if isinstance(getattr(real, name), (str, int, float, tuple, dict))]
    differ = [name for name in plain if getattr(view, name) != getattr(real, name)]
    # numpy's names for the types of Python and its dictionaries of types are those of numpy 1.
    assert module == "numpy" or set(differ) <= {"__annotations__", "__doc__", "__file__", "nan"}
    if module != "scipy.misc":  # the view has the functions of scipy 1.0
        assert set(getattr(view, "__all__", ())) >= set(getattr(real, "__all__", ()))


@pytest.mark.skipif(sys.version_info < (3, 8), reason="Python 3.7 lacks none of the names")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("module", ["base64", "collections", "json", "random", "time"])
def test_import_star_of_a_view_binds_what_the_module_and_the_view_define(module):
    found = {}
    exec("from {} import *".format(VIEWS[module]), found)
    expected = {}
    exec("from {} import *".format(module), expected)
    own = {"base64": {"encodestring", "decodestring"}, "time": {"clock"}}.get(module, set())
    if module == "collections":
        own = set(importlib.import_module("collections.abc").__all__)
    assert set(found) == set(expected) | own


def test_names_of_the_import_system_are_those_of_the_view():
    view = importlib.import_module(VIEWS["json"])
    assert view.__name__ == VIEWS["json"] and view.__spec__.name == VIEWS["json"]


def package(tmp_path, monkeypatch):
    (tmp_path / "tensorboard").mkdir()
    (tmp_path / "tensorboard" / "__init__.py").write_text("__version__ = '1.15.0'\n_hidden = 2\n")
    (tmp_path / "tensorboard" / "lazy.py").write_text("value = 3\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("tensorboard", "tensorboard.lazy"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_tensorboard_shows_the_version_and_the_modules_of_the_package(tmp_path, monkeypatch):
    package(tmp_path, monkeypatch)
    view = importlib.import_module(VIEWS["tensorboard"])
    assert view.__version__ == "1.15.0" and view._hidden == 2 and view.lazy.value == 3
    assert isinstance(view.lazy, types.ModuleType) and not hasattr(view, "missing")
    assert not hasattr(view, "__wrapped__") and {"__version__", "summary"} <= set(dir(view))
