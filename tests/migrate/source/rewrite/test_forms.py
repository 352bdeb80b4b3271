"""Files that libcst can't read itself: those of Python 2, and those that mix tabs and blanks."""
import os
import sys

import preloaded
import pytest

from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import read_project
from legacy_towers.migrate.source.rewrite.plan import plan_rewrite
from legacy_towers.migrate.source.rewrite.targets import TF2
from legacy_towers.migrate.verify.command import Command
from legacy_towers.migrate.verify.verify import verify

_BEFORE = """\
# -*- coding: utf-8 -*-
import tensorflow as tf

def batches(path, epochs):
    print "reads", path   # é
    names = tf.train.string_input_producer([path], num_epochs=epochs)
    _, line = tf.TextLineReader().read(names)
    number = tf.string_to_number(line)
    print "numbers:", number
    half = number * (1 / 2)
    return tf.train.batch([number, half], 4)

numbers, halves = batches("numbers.txt", 2)
total = tf.reduce_sum(numbers + halves)
with tf.Session() as session:
    session.run(tf.local_variables_initializer())
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    try:
        while not coordinator.should_stop():
            print "total", session.run(total)
    except tf.errors.OutOfRangeError, e:
        print "done", 7 / 2
    finally:
        coordinator.request_stop()
    coordinator.join(threads)"""
_AFTER = """\
# -*- coding: utf-8 -*-
import tensorflow as tf

def batches(path, epochs):
    print "reads", path   # é
    dataset = tf.data.Dataset.from_tensor_slices([path])
    dataset = dataset.repeat(epochs)
    dataset = dataset.flat_map(tf.data.TextLineDataset)

    def parse(line):
        number = tf.string_to_number(line)
        print "numbers:", number
        half = number * (1 / 2)
        return number, half

    dataset = dataset.map(parse)
    dataset = dataset.batch(4, drop_remainder=True)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()

numbers, halves = batches("numbers.txt", 2)
total = tf.reduce_sum(numbers + halves)
with tf.Session() as session:
    try:
        while True:
            print "total", session.run(total)
    except tf.errors.OutOfRangeError, e:
        print "done", 7 / 2"""
_READ = "import tensorflow as tf\n{}q = tf.train.string_input_producer(['a'])\n_, x = tf.TextLineReader().read(q)\n"


def _plan(path, target="tf.data-1"):
    project = read_project([str(path)])
    return plan_rewrite(project, find_pipelines(project), target)


@pytest.mark.parametrize("name", ["image", "histogram", "audio", "tf.audio_summary", "tf.scalar_summary"])
def test_a_summary_of_a_single_example_gets_examples_of_its_own(name, tmp_path):
    called = name if name.startswith("tf.") else "tf.summary." + name
    pairs = [os.path.join(os.path.dirname(__file__), "pairs", "summaries_of_examples_{}.py".format(each))
             for each in ("before", "after")]
    before, after = [_text(path).replace("tf.summary.image(", called + "(") for path in pairs]
    path = tmp_path / "script.py"
    path.write_text(before)
    plan = _plan(path)
    assert [each.reason for each in plan.left] == []
    assert plan.texts[str(path)] == after


def _text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def test_a_file_of_python_2_stays_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", preloaded.executable())
    (tmp_path / "train.py").write_bytes(_BEFORE.encode("utf-8"))
    (tmp_path / "numbers.txt").write_text("\n".join(str(number) for number in range(12)) + "\n")
    plan = _plan("train.py")
    assert plan.left == []
    assert plan.texts["train.py"] == _AFTER
    texts = {os.path.abspath(path): text for path, text in plan.texts.items()}
    found = verify(Command("train.py", {}, [], ["train.py"]), ["train.py"], texts, python="/no/python")
    assert found.verdict == "proven", str(found)
    assert found.notes == ("TensorFlow 1.15 alone: not run: train.py is written for Python 2",)


@pytest.mark.parametrize("text, target", [
    pytest.param(_READ.format("print 'a', 1\n") + "b = tf.train.batch([x], 2)\n", TF2, id="names of TensorFlow 2"),
    pytest.param(
        _READ.format("") + "b = tf.train.batch([x], 2)\nwith tf.Session() as s:\n    c = tf.train.Coordinator()\n"
        "    t = tf.train.start_queue_runners(s, c)\n    try:\n        s.run(b)\n    except Exception, e:\n"
        "        c.request_stop(e)\n    c.join(t)\n    print(7 / 2)\n", "tf.data-1", id="no Python 2 is left in it"),
    pytest.param(_READ.format("exec 'a = 1' in {}\n").replace("\n", "\r\n") + "b = tf.train.batch([x], 2)\n",
                 "tf.data-1", id="ends of lines of Windows and of Linux"),
    pytest.param(_READ.format("print 'a', 1\n# é\n").encode("latin1") + b"b = tf.train.batch([x], 2)\n", "tf.data-1",
                 id="not UTF-8"),
])
def test_a_file_of_python_2_is_left(text, target, tmp_path):
    path = tmp_path / "script.py"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    plan = _plan(path, target)
    assert plan.texts == {}
    assert ["is written for Python 2: make it one of Python 3 first" in each.reason for each in plan.left] == [True]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_tabs_and_blanks_in_one_indentation_stay(newline, tmp_path):
    path = tmp_path / "script.py"
    path.write_bytes((
        "import tensorflow as tf\ndef batches(path):\n    if path:\n        while path:\n    \t    print(path)\n"
        "        q = tf.train.string_input_producer([path])\n        _, x = tf.TextLineReader().read(q)\n"
        "        return tf.train.batch([x], 2)\n").replace("\n", newline).encode("utf-8"))
    plan = _plan(path)
    assert plan.left == []
    lines = plan.texts[str(path)].split(newline)
    assert lines.pop() == "" and not any("\r" in each or "\n" in each for each in lines)
    assert lines[2:5] == ["    if path:", "        while path:", "    \t    print(path)"]
    assert lines[-1] == "        return tf.data.make_one_shot_iterator(dataset).get_next()"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_tabs_and_blanks_at_the_ends_of_lines_stay_in_python_2(newline, tmp_path):
    path = tmp_path / "script.py"
    path.write_bytes((
        "import tensorflow as tf\ndef batches(path):\n\tq = tf.train.string_input_producer([path])\n"
        "\t_, x = tf.TextLineReader().read(q)\n\tx = tf.string_to_number(x, \n\t\ttf.float32)\n\tprint 'a', x \n"
        "\treturn tf.train.batch([x], 2)\n").replace("\n", newline).encode("utf-8"))
    plan = _plan(path)
    assert plan.left == []
    assert plan.texts[str(path)] == (
        "import tensorflow as tf\ndef batches(path):\n\tdataset = tf.data.Dataset.from_tensor_slices([path])\n"
        "\tdataset = dataset.repeat()\n\tdataset = dataset.flat_map(tf.data.TextLineDataset)\n\n"
        "\tdef parse(x):\n\t\tx = tf.string_to_number(x, \n\t\t\ttf.float32)\n\t\tprint 'a', x \n\t\treturn x\n\n"
        "\tdataset = dataset.map(parse)\n\tdataset = dataset.batch(2, drop_remainder=True)\n"
        "\tdataset = dataset.prefetch(1)\n\treturn tf.data.make_one_shot_iterator(dataset).get_next()\n"
    ).replace("\n", newline)


def test_a_file_in_another_encoding_is_left(tmp_path):
    path = tmp_path / "script.py"
    path.write_bytes(("# -*- coding: latin-1 -*-\n" + _READ.format("# é\n") + "b = tf.train.batch([x], 2)\n").encode(
        "latin1"))
    plan = _plan(path)
    assert plan.texts == {}
    assert ["is encoded in iso-8859-1: make it one of UTF-8 first" in each.reason for each in plan.left] == [True]


def test_a_file_with_bytes_of_another_encoding_than_it_declares_is_left(tmp_path):
    path = tmp_path / "script.py"
    # GBK in a comment, which Python's own parser may not look at.
    path.write_bytes(("# -*- coding: utf-8 -*-\n" + _READ.format("#\n") + "b = tf.train.batch([x], 2)\n").encode() +
                     b"#\xb7\xfb\n")
    plan = _plan(path)
    assert plan.texts == {}
    assert ["has bytes that are not UTF-8" in each.reason for each in plan.left] == [True]
