import inspect
import os

import pytest

from legacy_towers.compat import tf as tf1
from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import read_project
from legacy_towers.migrate.source.rewrite import targets
from legacy_towers.migrate.source.rewrite.plan import plan_rewrite
from legacy_towers.migrate.source.rewrite.syntax import Source
from legacy_towers.migrate.source.rewrite.targets import TF2, line_before, names_of_keras, renamed

_PAIRS = os.path.join(os.path.dirname(__file__), "pairs")


@pytest.mark.parametrize("before, after", [
    pytest.param("tf.read_file(name)", "tf.io.read_file(name)", id="moved"),
    pytest.param("tf.Session().run(a)", "tf.compat.v1.Session().run(a)", id="of 1.x"),
    pytest.param("tf.cast(a, tf.float32)", "tf.cast(a, tf.float32)", id="the same"),
    pytest.param("tf.train.Saver(tf.global_variables())",
                 "tf.compat.v1.train.Saver(tf.compat.v1.global_variables())", id="inside"),
    pytest.param("tf.parse_single_example(a, features=b)", "tf.io.parse_single_example(a, features=b)", id="call"),
    pytest.param("tf.parse_single_example(a, b, 'name')", "tf.compat.v1.parse_single_example(a, b, 'name')",
                 id="arguments in another order"),
    pytest.param("tf.data.make_one_shot_iterator(d)", "tf.compat.v1.data.make_one_shot_iterator(d)", id="iterator"),
    pytest.param("tf.data.Dataset.from_tensor_slices(d)", "tf.data.Dataset.from_tensor_slices(d)", id="dataset"),
    pytest.param("a.tf.Session()", "a.tf.Session()", id="an attribute"),
])
def test_names_of_tensorflow_2(before, after):
    text, gone = renamed(Source("a.py", "import tensorflow as tf\nx = {}\n".format(before).encode("utf-8")))
    assert gone is None
    assert text == "import tensorflow as tf\n\ntf.compat.v1.disable_v2_behavior()\nx = {}\n".format(after)


@pytest.mark.parametrize("line", [
    pytest.param("import tensorflow.compat.v1 as tf", id="compat.v1"),
    pytest.param("from legacy_towers.compat import tf", id="legacy_towers"),
])
def test_files_with_the_names_of_1_stay(line):
    text = line + "\ntf.Session()\n"
    assert renamed(Source("a.py", text.encode("utf-8"))) == (text, None)


@pytest.mark.parametrize("above, line", [
    pytest.param("", 6, id="after the pipeline"),
    pytest.param("def net(images):\n    return tf.contrib.layers.flatten(images)\n\n\n", 4, id="before the pipeline"),
])
def test_a_file_with_tf_contrib_is_left_with_the_line_of_the_name(above, line, tmp_path):
    path = tmp_path / "a.py"
    path.write_text(
        "import tensorflow as tf\n\n" + above
        + "queue = tf.train.string_input_producer(['a'])\n"
        "_, line = tf.TextLineReader().read(queue)\n"
        "batch = tf.train.batch([line], 2)\n"
        "x = tf.contrib.layers.flatten(batch)\n"
    )
    project = read_project([str(path)])
    plan = plan_rewrite(project, find_pipelines(project), TF2)
    assert plan.texts == {}
    [left] = plan.left
    assert str(left).startswith(
        "{}:{}: tf.contrib.layers.flatten: TensorFlow 2 has no tf.contrib: ".format(path, line))


@pytest.mark.parametrize("before, after, line, expected", [
    pytest.param("a\nb\nname\n", "b\nname\n", 2, 3, id="the line stays"),
    pytest.param("name\na\nb\nname\n", "name\nb\nname\n", 3, 4, id="the second of two"),
    pytest.param("a\nx = name\n", "a\nb\nreturn name\n", 3, 2, id="the line is changed"),
])
def test_the_line_of_a_name_before_the_rewriting(before, after, line, expected):
    assert line_before(before, after, line, "name") == expected


@pytest.mark.parametrize("lines, names", [
    pytest.param("import tensorflow as tf\ntf.compat.v1.layers.dense(a, 1)", ["tf.layers"], id="layers"),
    pytest.param("import tensorflow as tf\nb = tf.compat.v1.nn.rnn_cell.LSTMCell(1)\nc = tf.compat.v1.layers.Dense(1)",
                 ["tf.layers", "tf.nn.rnn_cell"], id="both"),
    pytest.param("import tensorflow.compat.v1 as tf1\ntf1.layers.dense(a, 1)", ["tf1.layers"], id="compat.v1"),
    pytest.param("import tensorflow as tf\ntf.keras.layers.Dense(1)\ntf.nn.relu(a)\nmodel.layers", [], id="others"),
    pytest.param("from legacy_towers.compat import tf\ntf.layers.dense(a, 1)", [], id="legacy_towers"),
])
def test_names_of_keras_2(lines, names):
    assert names_of_keras(Source("a.py", (lines + "\n").encode("utf-8"))) == names


def _found(root, name):
    for part in name.split("."):
        root = getattr(root, part)
    # The order of positional arguments may be another one.
    return inspect.unwrap(root)


@pytest.mark.skipif(tf1.__version__.startswith("1."), reason="compares the names of TensorFlow 2")
def test_the_tables_name_the_same_functions():
    import tensorflow as tf2

    assert [name for name in sorted(targets.SAME) if _found(tf1, name) is not _found(tf2, name)
            and _found(tf1, name) != _found(tf2, name)] == []
    assert [name for name, new in sorted(targets.MOVED.items()) if _found(tf1, name) is not _found(tf2, new)] == []
