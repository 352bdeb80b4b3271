"""Attributes of objects of TensorFlow's classes that `run --check` reports as missing, and those that it can't know."""
import functools

import pytest

from legacy_towers.compat.tf1 import known_classes, tree
from legacy_towers.run.check import instances, project

pytestmark = pytest.mark.filterwarnings("ignore")
IS_1_15 = tree.is_1_15()
FOUND = """
import tensorflow as tf
saver = tf.train.Saver()
saver.save(1), saver.savee(1)

def main():
    coordinator = tf.train.Coordinator()
    coordinator.request_stop(), coordinator.requested_stop()
    queue = tf.FIFOQueue(3, tf.float32)
    queue.enqueue(1), queue.dtypes, queue.queue_ref.name, queue.enque(1)
    reader = tf.TFRecordReader()
    value = reader.raed()
    return value.anything
"""
NOTHING = {
    "bound twice": "x = tf.train.Saver()\nx = other()\nx.anything",
    "bound in two functions": "def f():\n  x = tf.train.Saver()\ndef g():\n  x = other()\n  x.anything",
    "a parameter": "x = tf.train.Saver()\ndef f(x):\n  x.anything",
    "a loop": "x = tf.train.Saver()\nfor x in other: x.anything",
    "a global": "x = tf.train.Saver()\ndef f():\n  global x\n  x = other()\nx.anything",
    "an import": "x = tf.train.Saver()\nimport x\nx.anything",
    "passed on": "x = tf.train.Saver()\nprepare(x)\nx.anything",
    "an attribute of the script": "x = tf.train.Saver()\nx.anything = 1\nx.anything",
    "an attribute that another object of the script gets": "x = tf.train.Saver()\ny.anything = 1\nx.anything",
    "hasattr": "x = tf.train.Saver()\nif hasattr(x, 'anything'): x.anything",
    "one of two": "make = tf.train.Saver if new else other\nx = make()\nx.anything",
    "a function that it calls": "from tensorflow import train\nfrom other import make\nx = make()\nx.anything",
    "a module that may be another": "tf = tf or other\nx = tf.train.Saver()\nx.anything",
    "another module of this name": "if old: import other as tf\nx = tf.train.Saver()\nx.anything",
    "a class of the script": "class A(tf.train.Saver): pass\nx = A()\nx.anything",
    "a function": "x = tf.constant(1)\nx.anything",
    "a protobuf": "x = tf.ConfigProto()\nx.gpu_options.allow_growth",
    "a class that makes objects of others": "x = tf.Variable(1)\nx.anything",
    "private": "x = tf.train.Saver()\nx._anything",
    "of an attribute": "x = tf.train.Saver()\nx.saver_def.anything",
    "a method that run gives a class": "tf.data.experimental.Optional.none_from_structure; tf.Tensor.consumers",
    "what another file does": "from other import x\nx.anything",
}


def missing(folder, text):
    (folder / "train.py").write_text(text)
    (folder / "other.py").write_text("import tensorflow as tf\nx = tf.train.Saver()\n")
    return [(each.line, each.status.missing) for each in project.check(str(folder / "train.py")).missing]


def test_attributes_that_no_object_of_a_class_has(tmp_path):
    sentence = "an object of tf.{} has no attribute {!r}".format
    assert missing(tmp_path, FOUND) == [
        (4, sentence("train.Saver", "savee")), (8, sentence("train.Coordinator", "requested_stop")),
        (10, sentence("FIFOQueue", "enque")), (12, sentence("TFRecordReader", "raed")),
    ]


@pytest.mark.skipif(IS_1_15, reason="on TensorFlow 1.15 a base of optimizers sets attributes by name")
def test_attributes_of_optimizers_and_of_python_2(tmp_path):
    text = "import tensorflow as tf\nx = tf.train.AdamOptimizer()\nprint x.no_such, x.minimize\n"
    assert missing(tmp_path, text) == [(3, "an object of tf.train.AdamOptimizer has no attribute 'no_such'")]


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_is_reported_where_the_object_is_not_certain(name, tmp_path):
    assert missing(tmp_path, "import tensorflow as tf\n" + NOTHING[name] + "\n") == []


@pytest.mark.needs_layers
def test_methods_of_1_15_are_never_reported_but_those_that_the_class_lacks():
    view, found, classes = tree.module("tensorflow"), set(), 0
    for name in known_classes.names():
        if name.startswith(("tensorflow.distribute", "tensorflow.keras", "tensorflow.estimator", "tensorflow.lite")):
            continue
        try:
            cls = functools.reduce(getattr, name.split(".")[1:], view)
        except (AttributeError, ImportError):  # in the table of names
            continue
        classes += instances.lacks(cls, "no_such_attribute")
        found |= {each for each in known_classes.attributes(name) if instances.lacks(cls, each)}
    assert classes > 60
    assert found <= set() if IS_1_15 else {"none_from_structure", "refs", "value_structure"}
