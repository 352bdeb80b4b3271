"""`legacy_towers.compat` in new processes: what it imports and when, and the environments that it rejects."""
import os

import pytest
from processes import output_of, run, run_python

import legacy_towers.compat
from legacy_towers.compat import tf
from legacy_towers.compat.versions import supported

RUNNING = supported.parse(tf.__version__)
needs_keras_3 = pytest.mark.skipif(RUNNING < supported.FIRST_WITH_KERAS_3, reason="tf.layers is TensorFlow's own here")
REFUSED = """
from legacy_towers.errors import EnvironmentProblem
try:
    from legacy_towers.compat import tf
except EnvironmentProblem as problem:
    print(problem)
"""


def test_importing_the_package_and_compat_imports_no_tensorflow():
    output_of(
        """
        import legacy_towers, legacy_towers.compat, legacy_towers.compat.versions.supported, sys
        assert "tensorflow" not in sys.modules and "numpy" not in sys.modules
        """
    )


def test_a_compat_py_beside_the_script_and_ours_both_work(tmp_path):
    (tmp_path / "compat.py").write_text("def text(value):\n    return str(value)\n")
    (tmp_path / "train.py").write_text(
        "import compat\nfrom legacy_towers.compat import tf\nprint(compat.text(tf.Graph is not None))\n"
    )
    done = run([os.sys.executable, str(tmp_path / "train.py")], cwd=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
    assert "FutureWarning" not in done.stderr  # TensorFlow 1.15 and numpy
    assert "disable_resource_variables" not in done.stderr  # TensorFlow 2


def test_importing_the_folder_under_another_name_is_an_error():
    above = os.path.dirname(os.path.dirname(legacy_towers.compat.__file__))
    done = run_python("import sys; sys.path.insert(0, {!r}); import compat".format(above))
    assert done.returncode == 1
    assert "is imported as legacy_towers.compat, never as 'compat'" in done.stderr


def test_missing_tensorflow_names_the_command_to_type():
    message = output_of(REFUSED, blocked=["tensorflow"])
    assert message.startswith('TensorFlow is not installed: pip install "tensorflow==')


@pytest.mark.parametrize(
    "source, message",
    [
        ("__version__ = '2.11.1'", "TensorFlow 2.11.1 is not supported, only 1.15 and 2.13 to 2.21 are: pip install"),
        ("raise TypeError('Descriptors cannot be\\nmade')", "importing it fails with TypeError: Descriptors cannot be"),
    ],
    ids=["unsupported", "broken"],
)
def test_an_unsupported_or_broken_tensorflow_is_an_error(tmp_path, source, message):
    folder = tmp_path / "tensorflow" / "compat" / "v1"
    folder.mkdir(parents=True)
    (tmp_path / "tensorflow" / "__init__.py").write_text(source + "\n")
    (tmp_path / "tensorflow" / "compat" / "__init__.py").write_text("")
    (folder / "__init__.py").write_text(source + "\n")
    printed = output_of(REFUSED, PYTHONPATH=str(tmp_path))
    assert message in printed
    assert printed.count("\n") == 1


def test_eager_operations_that_have_run_are_an_error():
    message = output_of(
        "import tensorflow\ntensorflow.compat.v1.enable_eager_execution()\ntensorflow.constant(1) + 1" + REFUSED
    )
    assert message.startswith("eager operations have already run in this process")


@pytest.mark.needs_layers
def test_tensorflow_may_be_imported_first():
    output_of(
        """
        import tensorflow
        with tensorflow.Graph().as_default():
            pass
        from legacy_towers.compat import tf
        assert not tf.executing_eagerly()
        tf.layers.dense(tf.zeros([1, 2]), 3)
        assert [v.op.name for v in tf.global_variables()] == ["dense/kernel", "dense/bias"]
        """
    )


def test_settings_of_the_user_are_kept():
    output_of(
        """
        import tensorflow.compat.v1 as theirs
        theirs.disable_v2_behavior()
        theirs.enable_resource_variables()
        with theirs.Session() as session:
            session.run(theirs.constant(1) + 1)
        from legacy_towers.compat import tf
        assert tf.resource_variables_enabled()
        """
    )


@needs_keras_3
def test_missing_tf_keras_names_the_command_to_type():
    printed = output_of(
        """
        import os
        from legacy_towers.compat import tf
        from legacy_towers.errors import EnvironmentProblem
        assert "TF_USE_LEGACY_KERAS" not in os.environ
        for use in lambda: tf.layers.dense, lambda: tf.nn.rnn_cell.LSTMCell:
            try:
                use()
            except EnvironmentProblem as problem:
                print(problem)
        with tf.Session() as session:
            assert session.run(tf.nn.relu(-1.0)) == 0
        """,
        blocked=["tf_keras"],
    )
    pair = supported.dotted(RUNNING.pair)
    sentence = "tf.layers and tf.nn.rnn_cell need the package tf_keras beside TensorFlow {}: ".format(pair)
    assert printed == 2 * (sentence + 'pip install --no-deps "tf_keras=={}.*"\n'.format(pair))


@needs_keras_3
@pytest.mark.needs_layers
@pytest.mark.parametrize("first", ["tensorflow", "legacy_towers"])
def test_layers_work_beside_code_for_keras_3(first):
    imports = ["import tensorflow\nassert tensorflow.keras.Model", "from legacy_towers.compat import tf"]
    printed = output_of(
        "\n".join(imports if first == "tensorflow" else reversed(imports))
        + "\nimport os, keras"
        + "\nassert 'TF_USE_LEGACY_KERAS' not in os.environ"
        + "\nassert tensorflow.keras.Model is keras.Model and keras.__version__.startswith('3.')"
        + "\nassert tf.keras.Model is not keras.Model"
        + "\ntf.layers.dense(tf.zeros([2, 3]), 4, name='fc')"
        + "\nprint([variable.op.name for variable in tf.global_variables()])"
    )
    assert printed == "['fc/kernel', 'fc/bias']\n"
