"""The test file of each name in the table of names."""
import ast
import os
import sys

import pytest

from legacy_towers.compat.tf1 import symbols

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "tools"))
import tested_names  # noqa: E402

if not isinstance(ast.parse("'text'").body[0].value, ast.Constant):
    pytest.skip("docs/pages/names.md is made with Python 3.8 or newer", allow_module_level=True)

SYMBOLS = {
    row.name: row
    for row in (
        symbols.Symbol("tensorflow.mul", "legacy_towers.compat:tf.multiply"),
        symbols.Symbol("tensorflow.contrib.layers", "legacy_towers.compat.tf1.contrib.layers"),
        symbols.Symbol("tensorflow.Session", "legacy_towers.run.runtime.sessions:Session"),
        symbols.Symbol("tensorflow.python.client.session.Session", "legacy_towers.run.runtime.sessions:Session"),
    )
}


@pytest.mark.parametrize(
    "source, name, is_used",
    [
        ("from legacy_towers.compat import tf\ntf.mul(1, 2)", "tensorflow.mul", True),
        ("import tensorflow.compat.v1 as t\nt.mul(1, 2)", "tensorflow.mul", True),
        ("from legacy_towers.compat import tf\nmultiply = tf.mul", "tensorflow.mul", True),
        ("from legacy_towers.compat.tf1 import tree\nold = tree.module('tensorflow')\nold.mul", "tensorflow.mul", True),
        ("run('import tensorflow as tf\\ntf.mul(1, 2)')", "tensorflow.mul", True),
        ("CASES = ['tensorflow.mul']", "tensorflow.mul", True),
        ("CASES = ['contrib.layers.conv2d']", "tensorflow.contrib.layers", True),
        ("from legacy_towers.compat.tf1.contrib import layers\nlayers.crf", "tensorflow.contrib.layers.crf", True),
        ("import tensorflow as tf\ntf.Session()", "tensorflow.python.client.session.Session", True),
        ("from tf1_cases.package import cases", "tensorflow.mul", True),
        ("def test_every_target_can_be_loaded(): pass", "tensorflow.mul", True),
        ("mul = 3  # tf.mul", "tensorflow.mul", False),
        ("'''tf.mul is an old name.'''", "tensorflow.mul", False),
        ("np.mul(1, 2)", "tensorflow.mul", False),
    ],
)
def test_file_of(tmp_path, source, name, is_used):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "test_it.py").write_text(source, encoding="utf-8")
    (tmp_path / "tf1_cases" / "package").mkdir(parents=True)
    (tmp_path / "tf1_cases" / "package" / "cases.py").write_text("import tensorflow as tf\ntf.mul", encoding="utf-8")
    found = tested_names.Tests(str(tmp_path), SYMBOLS).file_of(name, "package")
    assert found == ("package/test_it.py" if is_used else "")


def test_file_of_prefers_file_names_then_folders(tmp_path):
    for path in ("package/test_a.py", "package/mul/test_b.py", "package/other/test_mul.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("import tensorflow as tf\ntf.mul", encoding="utf-8")
    found = []
    for path in ("package/other/test_mul.py", "package/mul/test_b.py", "package/test_a.py"):
        found.append(tested_names.Tests(str(tmp_path), SYMBOLS).file_of("tensorflow.mul", "package"))
        (tmp_path / path).unlink()
    assert found == ["package/other/test_mul.py", "package/mul/test_b.py", "package/test_a.py"]
