"""Lines of ours are left out of a script's traceback; the script's, and TensorFlow's, stay."""
import os
import sys

import pytest
from oldtf.launch import here

from legacy_towers.oldtf import before_one
from legacy_towers.oldtf.launch import tracebacks

OURS = os.path.dirname(os.path.dirname(before_one.__file__)) + os.sep
FAILING = {
    "before 1.0": "import tensorflow as tf\ntf.mul(1.0, 'a')",
    "other order": "import tensorflow as tf\ntf.concat(0, ['a', 1.0])",
    "session": "import tensorflow as tf\nwith tf.Session(graph=tf.Graph()) as session:\n    session.run('gone')",
    "missing": "import tensorflow as tf\ntf.no_such_name",
    "format": "'%d' % 'a'",
}


@pytest.mark.parametrize("source", list(FAILING.values()), ids=list(FAILING))
def test_no_line_of_ours_is_shown(tmp_path, source):
    with pytest.raises(Exception) as caught:
        here.run(tmp_path, source)
    error = tracebacks.strip(caught.value, sys._getframe())
    paths, entry = [], error.__traceback__
    while entry is not None:
        paths.append(entry.tb_frame.f_code.co_filename)
        entry = entry.tb_next
    assert str(tmp_path / "script.py") in paths
    assert [path for path in paths if path.startswith(OURS)] == []
