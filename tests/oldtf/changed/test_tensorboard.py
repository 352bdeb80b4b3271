"""tensorboard in scripts: with the package of today, and without it."""
import importlib
import sys

import pytest

from legacy_towers.compat import tf
from legacy_towers.oldtf.changed import libraries

NAMES = ("tensorboard", "tensorboard.plugins", "tensorboard.summary")


class _NotInstalled:
    """A finder that comes first, and finds no tensorboard."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname.split(".")[0] == "tensorboard":
            raise ModuleNotFoundError("No module named 'tensorboard'", name="tensorboard")


@pytest.fixture
def without_tensorboard(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "tensorboard"]:
        monkeypatch.delitem(sys.modules, name)
    for name in NAMES:
        monkeypatch.delitem(sys.modules, libraries.VIEWS[name], raising=False)
    monkeypatch.setattr(sys, "meta_path", [_NotInstalled()] + sys.meta_path)


def test_the_projector_needs_no_package(without_tensorboard, tmp_path):
    projector = importlib.import_module(libraries.VIEWS["tensorboard.plugins"]).projector
    config = projector.ProjectorConfig()
    config.embeddings.add().tensor_name = "words:0"
    projector.visualize_embeddings(tf.summary.FileWriter(str(tmp_path)), config)
    assert 'tensor_name: "words:0"' in (tmp_path / "projector_config.pbtxt").read_text()


@pytest.mark.parametrize(
    "line", ["from {0} import summary", "from {1} import beholder", "import {2}", "from {0} import program"]
)
def test_what_needs_the_package_says_so(without_tensorboard, line):
    with pytest.raises(ImportError, match="TensorFlow brought it along until 2.20; pip install tensorboard"):
        exec(line.format(*[libraries.VIEWS[name] for name in NAMES]))


def test_the_summaries_are_those_of_the_first_api():
    pytest.importorskip("tensorboard")
    summary = importlib.import_module(libraries.VIEWS["tensorboard"]).summary
    assert summary.scalar_pb("loss", 2.0).value[0].tag == "loss/scalar_summary"
    assert callable(summary.custom_scalar_pb) and callable(summary.v2.scalar)
