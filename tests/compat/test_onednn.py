"""The state of oneDNN, compared with TensorFlow's log in separate processes."""
import re

import pytest
from processes import run_python

PROGRAM = """
    from legacy_towers.compat import tf
    from legacy_towers.compat.versions.onednn import onednn_state
    print(onednn_state())
    with tf.Session() as session:
        session.run(tf.constant(1.0) + 1.0)
"""


@pytest.mark.parametrize("value, reason", [
    (None, "TensorFlow's default"),
    ("0", "TF_ENABLE_ONEDNN_OPTS=0"),
    ("1", "TF_ENABLE_ONEDNN_OPTS=1"),
])
def test_onednn_state_is_what_tensorflow_logs(value, reason):
    done = run_python(PROGRAM, TF_ENABLE_ONEDNN_OPTS=value, TF_CPP_MIN_LOG_LEVEL="0")
    logged = re.search("oneDNN custom operations are on", done.stderr) is not None
    assert done.stdout.split("\n")[0] == "{} ({})".format("on" if logged else "off", reason)
    if value == "0":
        assert not logged
