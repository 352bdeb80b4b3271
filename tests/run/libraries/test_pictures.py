"""The removed names of Pillow, matplotlib and h5py."""
import ast
import io
import sys
import types

import numpy as np
import pytest

from legacy_towers.run.libraries import needed
from legacy_towers.run.rewriting import methods, picture_libraries, rewriter

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def fresh_graph():
    """Overrides the fixture of conftest.py: these tests need no TensorFlow."""


def test_removed_names_of_pillow():
    image = pytest.importorskip("PIL.Image")
    draw_module, font_module = pytest.importorskip("PIL.ImageDraw"), pytest.importorskip("PIL.ImageFont")
    assert methods.attribute(image, "ANTIALIAS") == image.LANCZOS
    assert methods.attribute(image, "LINEAR") == image.BILINEAR
    draw, font = draw_module.Draw(image.new("RGB", (40, 20))), font_module.load_default()
    for size in (methods.attribute(draw, "textsize")("word", font=font), methods.attribute(font, "getsize")("word")):
        assert len(size) == 2 and 10 < size[0] < 60 and 5 < size[1] < 30


def test_removed_names_of_matplotlib():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.cm
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(1, 1), dpi=10)
    figure.canvas.draw()
    assert methods.attribute(figure.canvas, "tostring_rgb")() == b"\xff" * 300
    assert methods.attribute(matplotlib.cm, "get_cmap")("jet", 5).N == 5
    plt.close(figure)


def test_attributes_of_modules_are_found_by_module_name(monkeypatch):
    module = types.ModuleType("PIL.Image")
    module.LANCZOS = 1
    monkeypatch.setitem(sys.modules, "PIL.Image", module)
    assert methods.attribute(module, "ANTIALIAS") == 1
    with pytest.raises(AttributeError):
        methods.attribute(types.ModuleType("other"), "ANTIALIAS")
    with pytest.raises(AttributeError):
        methods.attribute(io, "getsize")
    assert picture_libraries.attribute("text", "textsize") is None


def test_h5py_datasets_have_value(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(str(tmp_path / "x.h5"), "w") as file:
        file.create_dataset("weights", data=np.arange(3))
        file.create_dataset("one", data=2.5)
        assert methods.attribute(file["weights"], "value").tolist() == [0, 1, 2]
        assert methods.attribute(file["one"], "value") == 2.5
        with pytest.raises(AttributeError):
            methods.attribute(file, "value")


@pytest.mark.skipif(not needed.are_needed(), reason="scripts are rewritten from Python 3.8 on")
@pytest.mark.parametrize("line, is_rewritten", [("import h5py", True), ("from h5py import File", True), ("", False)])
def test_value_is_rewritten_if_h5py_is_imported(line, is_rewritten):
    tree = rewriter.rewrite(ast.parse(line + "\na = b.value"))
    assert ("attribute" in ast.dump(tree)) == is_rewritten
