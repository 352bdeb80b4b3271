"""What the checks of feeds and of threads that fill queues find, and what they leave alone."""
import textwrap

import pytest
from doctor import diagnosed
from run.runtime import prepared

from legacy_towers.doctor.examine import examine
from legacy_towers.run.runtime.observation import Observer

STEPS = """
x = tf.placeholder(tf.float32, [None, 1], name="x")
train_op = train(x)
large = np.arange(300000, dtype=np.float32).reshape([-1, 1])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range({steps}):
        sess.run(train_op, {{x: {value}}})
"""


def fed(value, steps=9):
    return STEPS.format(value=value, steps=steps)


FEEDS = {
    "another dtype": (fed("(large + i).astype(np.float64)"), ["LD507"], "1.2 MB to 'x:0' that is float64 and not flo"),
    "a list": (fed("list(large + i)"), ["LD507"], "that is a list"),
    "an array that is not contiguous": (fed("np.repeat(large + i, 2, 1)[:, :1]"), ["LD507"], "that is not contiguous"),
    "the same value": (fed("large"), ["LD508"], "each of 9 steps feeds the same 1.2 MB to 'x:0'"),
    "equal values": (fed("large.copy()"), ["LD508"], "the same"),
}
CORRECT = {
    "other values": fed("large + i"),
    "a small array of another dtype": fed("(large + i).astype(np.float64)[:1000]"),
    "a small value each time": fed("large[:1000]"),
    "few steps": fed("list(large)", steps=3),
    "now and then the same": fed("large + i // 2"),
    "evaluation only": fed("large").replace("sess.run(train_op,", "sess.run(train_op, {x: large + i}); sess.run(w,"),
}


@pytest.mark.parametrize("source, codes, text", FEEDS.values(), ids=FEEDS.keys())
def test_large_feeds_that_are_converted_or_repeated_are_reported(source, codes, text):
    found = diagnosed.findings(source, ["LD507", "LD508"])
    assert [each.check.code for each in found] == codes
    assert text in found[0].evidence.message and found[0].evidence.operation == "x"


@pytest.mark.parametrize("source", CORRECT.values(), ids=CORRECT.keys())
def test_other_feeds_are_not(source):
    assert diagnosed.findings(source, ["LD507", "LD508"]) == []


THREAD = """
import threading

def script(tf):
    queue = tf.FIFOQueue(50, [tf.float32], [[]])
    value = tf.placeholder(tf.float32, [])
    enqueue, x = queue.enqueue(value), queue.dequeue()
    close = queue.close(cancel_pending_enqueues=True)
    coord = tf.train.Coordinator()
    with tf.Session() as sess:
        thread = threading.Thread(target=fill, args=(sess, enqueue, value, coord, close))
        thread.start()
        sess.run(x)
        coord.request_stop()
        thread.join()


def fill(sess, enqueue, value, coord, close):
{body}
"""
LOOP = """
while not coord.should_stop():
    sess.run(enqueue, {value: 1.0})
    break
"""


def body(head, tail=""):
    return head + "\n" + textwrap.indent(LOOP, "    ") + tail


UNWATCHED = {
    "nothing": LOOP,
    "an unrelated with statement": body("with open('/dev/null'):"),
    "errors of one kind": body("try:", "except ZeroDivisionError:\n    coord.request_stop()\n"),
    "a handler that only prints": body("try:", "except Exception as error:\n    print(error)\n"),
}
WATCHED = {
    "stop_on_exception": body("with coord.stop_on_exception():"),
    "a handler that stops the coordinator": body("try:", "except Exception as error:\n    coord.request_stop(error)\n"),
    "finally": body("try:", "finally:\n    coord.request_stop()\n"),
}


def threads(body, folder):
    """Runs a script whose thread has this body, and returns what LD509 finds."""
    path = folder / "threads.py"
    path.write_text(THREAD.format(body=textwrap.indent(body, "    ")))
    with prepared.script() as (tf, run), tf.Graph().as_default():
        run.add_root(str(folder))
        run.runtime.observer = Observer()
        space = {}
        exec(compile(path.read_text(), str(path), "exec"), space)
        space["script"](tf)
        return examine(run.runtime.observer.graphs.items(), ["LD509"])


@pytest.mark.parametrize("body", UNWATCHED.values(), ids=UNWATCHED.keys())
def test_a_thread_whose_error_is_not_collected_is_reported(body, tmp_path):
    (found,) = threads(body, tmp_path)
    assert "in fill: sess.run(enqueue, {value: 1.0})" in found.evidence.line
    assert (found.check.name, found.check.severity) == ("unwatched-thread", "warning")


@pytest.mark.parametrize("body", WATCHED.values(), ids=WATCHED.keys())
def test_a_thread_whose_error_is_collected_is_not(body, tmp_path):
    assert threads(body, tmp_path) == []


def test_a_queue_that_the_main_thread_fills_is_not_reported():
    source = """
queue = tf.FIFOQueue(50, [tf.float32], [[]])
enqueue = queue.enqueue(1.0)
with tf.Session() as sess:
    sess.run(enqueue)
"""
    assert diagnosed.findings(source, ["LD509"]) == []
