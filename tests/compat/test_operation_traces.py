"""Frames of given files are left out of the stacks that TensorFlow keeps of operations."""
import threading
import types

import pytest

from legacy_towers.compat import operation_traces, tf

HIDDEN = frozenset(["launcher.py", "below.py"])


def function(path, source):
    """Returns the function `f` of `source`, which says that it lies at `path`."""
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


def test_hidden_files_are_left_out_and_all_others_stay():
    whole = files(LAUNCH(BELOW, MAKE).op)
    with operation_traces.without_files(HIDDEN):
        short = files(LAUNCH(BELOW, MAKE).op)
    assert of_ours(whole) == ["launcher.py", "below.py", "script.py"]
    # The lines of this file differ, its name does not.
    assert short == [path for path in whole if path not in HIDDEN]
    assert files(LAUNCH(BELOW, MAKE).op) == whole


def test_threads_that_begin_later_hide_them_too():
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


def test_functions_that_autograph_converts_hide_them_too():
    seen = []

    def convert(value):
        made = LAUNCH(BELOW, MAKE)
        seen.append(of_ours(files(made.op)))
        return made + value

    with operation_traces.without_files(HIDDEN):
        tf.autograph.experimental.do_not_convert(convert)(1.0)
        tf.data.Dataset.range(3).map(lambda value: tf.cast(value, tf.float32) + convert(1.0))
    assert seen and all(each == ["script.py"] for each in seen)


def test_an_error_of_tensorflow_shows_what_is_left():
    with operation_traces.without_files(HIDDEN):
        value = LAUNCH(BELOW, function("script.py", "def f(): return tf.placeholder(tf.float32, [], name='fed')"))
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(value)
    said = str(caught.value)
    assert '"script.py", line 1' in said and "below.py" not in said and "launcher.py" not in said
