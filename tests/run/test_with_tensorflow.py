"""A script with TensorFlow, run by the command line."""
import pytest
from run import here
from run.test_start import RUN, outcome, started

from legacy_towers.compat.tf1 import tree

SCRIPT = """
import sys
import tensorflow as tf

tf.app.flags.DEFINE_integer("steps", 3, "how many")
tf.app.flags.DEFINE_boolean("missing", False, "use a missing name")


def main(unused):
    x = tf.placeholder(tf.float32)
    if tf.app.flags.FLAGS.missing:
        tf.contrib.no_such_part.function(x)
    with tf.Session() as session:
        print(session.run(x * 2, {x: float(tf.app.flags.FLAGS.steps)}))
    return 4


if __name__ == "__main__":
    tf.app.run()
"""


@pytest.mark.slow
def test_a_script_runs_and_a_missing_name_is_reported_at_its_line(tmp_path):
    here.write(tmp_path, {"script.py": SCRIPT})
    processes = [started(tmp_path, RUN + ["script.py", option]) for option in ("--steps=7", "--missing")]
    (code, out, err), (missing_code, missing_out, missing_err) = [outcome(process) for process in processes]
    assert (code, out) == (4, "14.0\n"), err
    if tree.is_1_15():  # the warning of TensorFlow 1.15 has the script's line
        assert "script.py:10: The name tf.placeholder is deprecated" in err
    assert (missing_code, missing_out) == (1, "")
    lines = missing_err.splitlines()
    assert "script.py:12: tf.contrib.no_such_part is not a name of TensorFlow 1.15" in lines[-1]
    assert lines[-1].startswith("legacy_towers.compat.tf1.missing.MissingName: ")
    assert "tf.contrib.no_such_part.function(x)" in "".join(lines[-3:-1])
    assert "tree.py" not in missing_err and "launch" not in missing_err and "cli" not in missing_err
