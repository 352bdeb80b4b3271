"""Frames of legacy_towers are removed from a script's traceback; those of the script and of TensorFlow are kept."""
import os
import sys

import processes
import pytest
from run import here

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import pre_1_0
from legacy_towers.compat.versions import supported
from legacy_towers.run import tracebacks

OURS = os.path.dirname(os.path.dirname(pre_1_0.__file__)) + os.sep
FAILING = {
    "before 1.0": "import tensorflow as tf\ntf.mul(1.0, 'a')",
    "other order": "import tensorflow as tf\ntf.concat(0, ['a', 1.0])",
    "session": "import tensorflow as tf\nwith tf.Session(graph=tf.Graph()) as session:\n    session.run('gone')",
    "missing": "import tensorflow as tf\ntf.no_such_name",
    "format": "'%d' % 'a'",
}


@pytest.mark.parametrize("source", list(FAILING.values()), ids=list(FAILING))
def test_no_frame_of_legacy_towers_is_shown(tmp_path, source):
    with pytest.raises(Exception) as caught:
        here.run(tmp_path, source)
    error = tracebacks.strip(caught.value, sys._getframe())
    paths, entry = [], error.__traceback__
    while entry is not None:
        paths.append(entry.tb_frame.f_code.co_filename)
        entry = entry.tb_next
    assert str(tmp_path / "script.py") in paths
    assert [path for path in paths if path.startswith(OURS)] == []


NEEDS_TF_KERAS = {
    "attribute": "import tensorflow as tf\ncell = tf.nn.rnn_cell.GRUCell(3)",
    "import of contrib": "from tensorflow.contrib import rnn",
    "import of a private module": "import tensorflow as tf\nfrom tensorflow.python.layers import core",
}


@pytest.mark.slow
@pytest.mark.parametrize("source", list(NEEDS_TF_KERAS.values()), ids=list(NEEDS_TF_KERAS))
def test_without_tf_keras_the_traceback_ends_at_the_scripts_line(tmp_path, source):
    version = supported.parse(tf.__version__)
    if version.pair < supported.FIRST_WITH_KERAS_3:
        pytest.skip("TensorFlow {} has tf.layers itself".format(tf.__version__))
    path = tmp_path / "script.py"
    path.write_text(source)
    done = processes.run_python(
        "import sys\nfrom legacy_towers.cli import main\nsys.exit(main.main())",
        blocked=["tf_keras"], arguments=["run", str(path)],
    )
    shown = done.stderr[done.stderr.index("Traceback") :].splitlines()
    assert done.returncode == 1
    assert [line for line in shown if line.startswith("  File")] == [
        '  File "{}", line {}, in <module>'.format(path, source.count("\n") + 1)
    ]
    assert shown[-1].endswith('pip install --no-deps "tf_keras=={}.*"'.format(supported.dotted(version.pair)))
