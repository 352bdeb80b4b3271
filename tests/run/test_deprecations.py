"""TensorFlow's deprecation warnings in a script are counted in one line, or printed with `--warnings`."""
import re
import textwrap

import preloaded
import pytest
from processes import run

from legacy_towers.compat import tf

IS_TF1 = tf.__version__.startswith("1.")
on_tensorflow_2 = pytest.mark.skipif(IS_TF1, reason="TensorFlow 1.15's warnings are printed")
SCRIPT = """
import logging, os, sys, warnings
import tensorflow as tf
def use():
    x = tf.placeholder(tf.float32, [None, 3])
    tf.to_float(tf.argmax(x, dimension=1))
    tf.reduce_sum(x, keep_dims=True)
{}
tf.logging.warning("From here: this is deprecated by the script")
warnings.warn("`mine` is deprecated")
print("out")
"""
LINE = re.compile(r"legacy-towers: TensorFlow logged (\d+) deprecation warnings?; --warnings prints (it|them)\n")


def run_script(folder, body, *options):
    path = folder / "script.py"
    path.write_text(textwrap.dedent(SCRIPT).format(textwrap.dedent(body)))
    done = run([preloaded.executable(), "-m", "legacy_towers", "run"] + list(options) + [str(path)], cwd=folder)
    # TensorFlow 2.21 logs these lines before it reads the log level.
    lines = done.stderr.splitlines(keepends=True)
    return done, "".join(line for line in lines if not re.match(r"WARNING: All log|[IWE]\d{4} ", line))


@on_tensorflow_2
def test_deprecation_warnings_are_counted_in_the_last_line(tmp_path):
    done, shown = run_script(tmp_path, "use()")
    assert (done.returncode, done.stdout) == (0, "out\n")
    lines = shown.splitlines(keepends=True)
    assert LINE.match(lines[-1]) and "Instructions for updating" not in shown
    assert "WARNING:tensorflow:From here: this is deprecated by the script\n" in lines
    assert any(line.endswith("UserWarning: `mine` is deprecated\n") for line in lines)
    counted = int(LINE.match(lines[-1]).group(1))
    done, shown = run_script(tmp_path, "use()", "--warnings")
    assert (done.returncode, done.stdout, LINE.search(shown)) == (0, "out\n", None)
    assert counted == shown.count("Instructions for updating") >= 3


@on_tensorflow_2
def test_without_deprecation_warnings_no_line_is_printed(tmp_path):
    assert LINE.search(run_script(tmp_path, "")[1]) is None


@on_tensorflow_2
def test_the_line_is_printed_before_the_traceback(tmp_path):
    done, shown = run_script(tmp_path, "use()\n1 / 0")
    assert done.returncode == 1 and shown.endswith("ZeroDivisionError: division by zero\n")
    assert shown.index("deprecation warnings") < shown.index("Traceback") and len(LINE.findall(shown)) == 1


@on_tensorflow_2
def test_file_handlers_of_the_script_get_the_warnings(tmp_path):
    body = """
    logging.getLogger("tensorflow").addHandler(logging.FileHandler("own"))
    logging.getLogger().addHandler(logging.FileHandler("root"))
    use()
    """
    shown = run_script(tmp_path, body)[1]
    counted = int(LINE.search(shown).group(1))
    for name in ("own", "root"):
        assert (tmp_path / name).read_text().count("Instructions for updating") == counted


@on_tensorflow_2
def test_warnings_are_counted_with_basic_config_and_with_absl_logging(tmp_path):
    for body in ("logging.basicConfig()\nuse()", "from absl import logging as a\na.use_absl_handler()\nuse()"):
        shown = run_script(tmp_path, body)[1]
        assert len(LINE.findall(shown)) == 1 and "Instructions for updating" not in shown


@on_tensorflow_2
def test_a_forked_process_prints_its_warnings(tmp_path):
    body = """
    sys.stdout.flush()
    if os.fork() == 0:
        use()
        os._exit(0)
    os.wait()
    """
    shown = run_script(tmp_path, body)[1]
    assert "Instructions for updating" in shown and LINE.search(shown) is None


@on_tensorflow_2
@pytest.mark.parametrize("options, are_shown", [((), False), (("--warnings",), True)], ids=["without", "with"])
def test_warnings_of_tf_keras_are_printed_with_the_option(tmp_path, options, are_shown):
    pytest.importorskip("tf_keras")
    shown = run_script(tmp_path, "tf.layers.dense(tf.placeholder(tf.float32, [None, 3]), 2)", *options)[1]
    assert ("`tf.layers.dense` is deprecated" in shown) == are_shown


@pytest.mark.skipif(not IS_TF1, reason="TensorFlow 2's warnings are counted")
def test_warnings_of_tensorflow_1_15_are_printed(tmp_path):
    ours = run_script(tmp_path, "use()")[1]
    pythons = run([preloaded.executable(), str(tmp_path / "script.py")], cwd=tmp_path).stderr
    folder = str(tmp_path) + "/"
    assert ours.replace(folder, "") == pythons.replace(folder, "") and "Instructions for updating" in ours


def test_check_rejects_the_option(tmp_path):
    done = run([preloaded.executable(), "-m", "legacy_towers", "run", "--warnings", "--check", str(tmp_path)])
    assert (done.returncode, "remove --warnings" in done.stderr) == (2, True)
