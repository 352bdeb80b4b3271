"""Frames of given files are removed from the stack traces that TensorFlow stores with operations."""
import threading
import types

import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.patches import operation_traces

HIDDEN = frozenset(["launcher.py", "below.py"])


def function(path, source):
    """Returns the function `f` of `source`, compiled as if it were in the file `path`."""
    module = types.ModuleType("a_module")
    module.tf = tf
    exec(compile(source, path, "exec"), module.__dict__)
    return module.f


MAKE = function("script.py", "def f(): return tf.constant(1.0) + 1.0")
BELOW = function("below.py", "def f(make): return make()")
LAUNCH = function("launcher.py", "def f(below, make): return below(make)")


def files(operation):
    return [frame[0] for frame in operation.traceback]


def of_ours(paths):
    return [path for path in paths if path in ("launcher.py", "below.py", "script.py")]


def test_without_files_removes_only_frames_of_these_files():
    whole = files(LAUNCH(BELOW, MAKE).op)
    with operation_traces.without_files(HIDDEN):
        short = files(LAUNCH(BELOW, MAKE).op)
    assert of_ours(whole) == ["launcher.py", "below.py", "script.py"]
    # The lines of this file differ, its name does not.
    assert short == [path for path in whole if path not in HIDDEN]
    assert files(LAUNCH(BELOW, MAKE).op) == whole


def test_without_files_applies_to_threads_that_start_later():
    found = []
    graph = tf.get_default_graph()

    def make():
        with graph.as_default():
            found.append(of_ours(files(LAUNCH(BELOW, MAKE).op)))

    with operation_traces.without_files(HIDDEN):
        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
    make()
    assert found == [["script.py"], ["launcher.py", "below.py", "script.py"]]


def test_without_files_applies_to_functions_that_autograph_converts():
    seen = []

    def convert(value):
        made = LAUNCH(BELOW, MAKE)
        seen.append(of_ours(files(made.op)))
        return made + value

    with operation_traces.without_files(HIDDEN):
        tf.autograph.experimental.do_not_convert(convert)(1.0)
        tf.data.Dataset.range(3).map(lambda value: tf.cast(value, tf.float32) + convert(1.0))
    assert seen and all(each == ["script.py"] for each in seen)


def test_without_files_applies_to_tensorflow_errors():
    with operation_traces.without_files(HIDDEN):
        value = LAUNCH(BELOW, function("script.py", "def f(): return tf.placeholder(tf.float32, [], name='fed')"))
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(value)
    message = str(caught.value)
    assert '"script.py", line 1' in message and "below.py" not in message and "launcher.py" not in message
