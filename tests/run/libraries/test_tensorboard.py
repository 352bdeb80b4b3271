"""The shim of tensorboard, with and without the package."""
import importlib
import sys

import pytest

from legacy_towers.compat import tf
from legacy_towers.run.libraries import registry

NAMES = ("tensorboard", "tensorboard.plugins", "tensorboard.summary")


class _NotInstalled:
    """A finder that raises ModuleNotFoundError for tensorboard."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname.split(".")[0] == "tensorboard":
            raise ModuleNotFoundError("No module named 'tensorboard'", name="tensorboard")


@pytest.fixture
def without_tensorboard(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "tensorboard"]:
        monkeypatch.delitem(sys.modules, name)
    for name in NAMES:
        monkeypatch.delitem(sys.modules, registry.SHIMS[name], raising=False)
    monkeypatch.setattr(sys, "meta_path", [_NotInstalled()] + sys.meta_path)


def test_the_projector_works_without_tensorboard(without_tensorboard, tmp_path):
    projector = importlib.import_module(registry.SHIMS["tensorboard.plugins"]).projector
    config = projector.ProjectorConfig()
    config.embeddings.add().tensor_name = "words:0"
    projector.visualize_embeddings(tf.summary.FileWriter(str(tmp_path)), config)
    assert 'tensor_name: "words:0"' in (tmp_path / "projector_config.pbtxt").read_text()


@pytest.mark.parametrize(
    "line", ["from {0} import summary", "from {1} import beholder", "import {2}", "from {0} import program"]
)
def test_other_modules_report_that_tensorboard_is_missing(without_tensorboard, line):
    with pytest.raises(ImportError, match="since TensorFlow 2.21 it is not a dependency; pip install tensorboard"):
        exec(line.format(*[registry.SHIMS[name] for name in NAMES]))


def test_tensorboard_summary_has_its_first_api():
    pytest.importorskip("tensorboard")
    summary = importlib.import_module(registry.SHIMS["tensorboard"]).summary
    assert summary.scalar_pb("loss", 2.0).value[0].tag == "loss/scalar_summary"
    assert callable(summary.custom_scalar_pb) and callable(summary.v2.scalar)
