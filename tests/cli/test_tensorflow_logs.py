"""Commands that import TensorFlow hold the log of its C++ code until they fail."""
import sys

import job_files
import pytest
from processes import run

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has pipes of packets")

# Each TensorFlow logs the features of the CPU when the first session is created.
LOGGED = "cpu_feature_guard.cc:"
# Stands for a message that may explain a failure.
WARNING = "2026-11-22 16:10:43.088882: W core/x.cc:1] something failed"
LOG = "__import__('os').write(2, b'{}\\n')".format(WARNING)
FAILS = job_files.LINE.replace(
    '"""Fits a line."""',
    '"""Fits a line."""\n        tf.Session().close()\n        {}\n        raise ValueError("a mistake")'.format(LOG)
)


@pytest.fixture
def command(tmp_path):
    """A function that runs a command in a folder with line.py and fails.py, by default without a log level."""
    job_files.write(tmp_path, "line.py", job_files.LINE)
    job_files.write(tmp_path, "fails.py", FAILS)

    def run_command(words, level=None):
        return run([sys.executable, "-m", "legacy_towers"] + words.split(), cwd=tmp_path, TF_CPP_MIN_LOG_LEVEL=level)

    return run_command


def test_a_command_that_succeeds_prints_no_log(command):
    done = command("train line.py --towers 2 --steps 3 --checkpoint-dir kept")
    assert (done.returncode, done.stderr.count("\n")) == (0, 8)
    done = command("predict line.py --checkpoint-dir kept")
    assert (done.returncode, done.stderr) == (0, "")


def test_check_prints_its_findings_without_the_log(command, tmp_path):
    (tmp_path / "old.py").write_text("import tensorflow as tf\ntf.contrib.nothing.x\n")
    done = command("run --check old.py")
    assert (done.returncode, done.stderr) == (1, "") and "tf.contrib.nothing is not a name" in done.stdout


STEPS = """
import tensorflow as tf
with tf.Session() as session:
    for _ in range(20):
        session.run(tf.get_default_graph().get_tensor_by_name("c:0") if _ else tf.constant(1.0, name="c"))
{}
"""


def test_bottleneck_prints_the_log_only_if_the_script_fails(command, tmp_path):
    (tmp_path / "old.py").write_text(STEPS.format(""))
    done = command("bottleneck --warm-up 2 old.py")
    assert (done.returncode, LOGGED in done.stderr, "profiler_session" in done.stderr) == (0, False, False)
    (tmp_path / "old.py").write_text(STEPS.format(LOG + "\nraise ValueError('a mistake')"))
    done = command("bottleneck --warm-up 2 old.py")
    assert done.returncode == 1 and "TensorFlow's log:" in done.stderr.splitlines()
    assert done.stderr.index(WARNING) < done.stderr.index("Traceback") and LOGGED not in done.stderr
    assert done.stderr.splitlines()[-1] == "ValueError: a mistake"


def test_a_command_that_fails_prints_the_log_before_the_error(command):
    done = command("train fails.py --steps 3")
    lines = done.stderr.splitlines()
    assert done.returncode == 1
    assert lines[:2] == ["TensorFlow's log:", WARNING] and LOGGED not in done.stderr
    assert lines[2].startswith("Traceback") and lines[-1] == "ValueError: a mistake"


def test_a_usage_error_is_printed_without_the_log(command):
    done = command("train line.py --input nothing")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_tensorflow_logs_prints_the_log_at_once(command):
    done = command("train line.py --steps 1 --tensorflow-logs")
    assert done.returncode == 0 and LOGGED in done.stderr and "TensorFlow's log:" not in done.stderr


def test_the_users_log_level_takes_precedence(command):
    assert LOGGED in command("env", "0").stderr
    done = command("train fails.py --steps 3", "3")
    assert (done.returncode, LOGGED in done.stderr) == (1, False)


@pytest.mark.slow
def test_processes_of_parity_print_the_log_if_they_fail(command, tmp_path):
    job_files.write(tmp_path, "later.py", job_files.LINE.replace(
        "def model_fn(batch, mode):", "def model_fn(batch, mode):\n        {}\n        len(None)".format(LOG)
    ))
    done = command("parity later.py --python {} --steps 1".format(sys.executable))
    assert done.returncode == 1 and WARNING in done.stderr
    assert done.stderr.index(WARNING) < done.stderr.index("Traceback") < done.stderr.index("TypeError")
