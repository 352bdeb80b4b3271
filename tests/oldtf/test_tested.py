"""Which test files use which names."""
import ast

import pytest

from legacy_towers.oldtf import provided, tested

if not isinstance(ast.parse("'text'").body[0].value, ast.Constant):
    pytest.skip("docs/compatibility.md is made with Python 3.8 or newer", allow_module_level=True)

ROWS = {
    row.name: row
    for row in (
        provided.Row("tensorflow.mul", "legacy_towers.compat:tf.multiply"),
        provided.Row("tensorflow.contrib.layers", "legacy_towers.oldtf.contrib.layers"),
        provided.Row("tensorflow.Session", "legacy_towers.oldtf.machine.sessions:Session"),
        provided.Row("tensorflow.python.client.session.Session", "legacy_towers.oldtf.machine.sessions:Session"),
    )
}


@pytest.mark.parametrize(
    "source, name, is_used",
    [
        ("from legacy_towers.compat import tf\ntf.mul(1, 2)", "tensorflow.mul", True),
        ("import tensorflow.compat.v1 as t\nt.mul(1, 2)", "tensorflow.mul", True),
        ("from legacy_towers.compat import tf\nmultiply = tf.mul", "tensorflow.mul", True),
        ("from legacy_towers.oldtf import tree\nview = tree.module('tensorflow')\nview.mul", "tensorflow.mul", True),
        ("run('import tensorflow as tf\\ntf.mul(1, 2)')", "tensorflow.mul", True),
        ("CASES = ['tensorflow.mul']", "tensorflow.mul", True),
        ("CASES = ['contrib.layers.conv2d']", "tensorflow.contrib.layers", True),
        ("from legacy_towers.oldtf.contrib import layers\nlayers.conv2d", "tensorflow.contrib.layers.conv2d", True),
        ("import tensorflow as tf\ntf.Session()", "tensorflow.python.client.session.Session", True),
        ("from oldtf.room import cases", "tensorflow.mul", True),
        ("def test_every_row(): pass", "tensorflow.mul", True),
        ("mul = 3  # tf.mul", "tensorflow.mul", False),
        ("'''tf.mul is an old name.'''", "tensorflow.mul", False),
        ("np.mul(1, 2)", "tensorflow.mul", False),
    ],
)
def test_file_of(tmp_path, source, name, is_used):
    room = tmp_path / "oldtf" / "room"
    room.mkdir(parents=True)
    (room / "test_it.py").write_text(source, encoding="utf-8")
    (room / "cases.py").write_text("import tensorflow as tf\ntf.mul", encoding="utf-8")
    found = tested.Tests(str(tmp_path / "oldtf"), ROWS).file_of(name, "room")
    assert found == ("oldtf/room/test_it.py" if is_used else "")
