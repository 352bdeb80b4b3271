"""Pipelines that are left as they are, since an object keeps their queue, reader or examples."""
import pytest
from migrate.source.rewrite.left_pipelines import left_pipelines

_READS = """class A(object):
    def __init__(self):
        self.q = tf.train.string_input_producer(["a"])
    def read(self):
        return tf.TextLineReader().read(self.q)[1]
"""
_KEEPS = """class A(object):
    def __init__(self):
        queue = tf.train.string_input_producer(["a"])
        _, self.x = tf.TextLineReader().read(queue)
"""


@pytest.mark.parametrize("text, left", [
    pytest.param("def read(q):\n    return tf.TextLineReader().read(q)[1]\nclass A(object):\n"
                 "    def __init__(self):\n        self.q = tf.train.string_input_producer(['a'])\n"
                 "        self.x = read(self.q)\n    def size(self):\n        return self.q.name\n"
                 "    def batch(self):\n        return tf.train.batch([self.x], 2)\n",
                 "6: tf.train.string_input_producer: its queue is kept in an object, self.q: bind it to a variable",
                 id="a kept queue with other uses"),
    pytest.param("class A:\n    def __init__(self):\n        self.p = tf.train.string_input_producer(['a'])\n"
                 "        self.q = tf.train.string_input_producer(['b'])\n        self.reader = tf.TextLineReader()\n"
                 "    def one(self):\n        return tf.train.batch([self.reader.read(self.p)[1]], 2)\n"
                 "    def two(self):\n        return tf.train.batch([self.reader.read(self.q)[1]], 2)\n"
                 "a = A()\nb, c = a.one(), a.two()\n",
                 "8: tf.ReaderBase.read: its reader, self.reader, reads from 2 queues, and mixes their files, since it "
                 "goes on with the file that it has of another queue: make a reader for each queue",
                 id="a reader of an object that reads two queues"),
    pytest.param(_KEEPS + "    def one(self):\n        return tf.train.batch([tf.size(self.x)], 2)\n"
                 "    def two(self):\n        return tf.train.batch([self.x + 'a'], 2)\n"
                 "a = A()\nb, c = a.one(), a.two()\n",
                 "9: tf.ReaderBase.read: 'self.x' is of one example, and several methods use it: read and batch in one "
                 "method", id="an example of an object that two methods batch"),
    pytest.param(_KEEPS + "    def one(self, n):\n        return tf.train.batch([tf.size(self.x)], n)\n"
                 "a = A()\nb, c = a.one(2), a.one(3)\n",
                 "6: tf.ReaderBase.read: 'one' reads a queue that its object keeps, and is called several times",
                 id="an example of an object that is batched twice"),
    pytest.param(_KEEPS + "    def one(self):\n        return tf.train.batch([tf.size(self.x)], 2)\n"
                 "a = A()\nb = a.one()\nprint(a.x)\n",
                 "10: tf.ReaderBase.read: 'self.x' is of one example, and is also used elsewhere",
                 id="an example of an object that is used outside of it"),
    pytest.param("class A(object):\n    def read(self, queue):\n        _, self.x = tf.TextLineReader().read(queue)\n"
                 "        return tf.size(self.x)\n"
                 "x = A().read(tf.train.string_input_producer(['a']))\nb = tf.train.batch([x], 2)\n",
                 "4: tf.ReaderBase.read: the function keeps what it reads in self.x: bind it to a variable",
                 id="a function of a queue that keeps its record"),
    pytest.param("class A(object):\n    def __init__(self):\n        q = tf.train.string_input_producer(['a'])\n"
                 "        _, v = tf.TextLineReader().read(q)\n        self.size = tf.size(v)\n"
                 "        self.sizes = tf.train.batch([self.size], 2)\na = A()\nprint(a.size)\n",
                 "9: tf.ReaderBase.read: 'self.size' holds one example, and is also used elsewhere",
                 id="attribute of one example used elsewhere"),
    pytest.param(_READS + "    def two(self):\n        return tf.train.batch([self.read()], 2), self.read()\n"
                 "A().two()\n",
                 "5: tf.ReaderBase.read: 'read' reads a queue that its object keeps, and is called several times",
                 id="queue of an object, read twice"),
    pytest.param(_READS + "    def one(self):\n        x = self.read()\n        return tf.train.batch([x], 2)\n"
                 "a = A()\nb = a.one(), a.one()\n",
                 "5: tf.ReaderBase.read: 'one' reads a queue that its object keeps, and is called several times",
                 id="queue of an object, batched twice"),
    pytest.param(_READS + "    def one(self):\n        x = self.read()\n        return tf.train.batch([x], 2)\n"
                 "a = A()\nfor _ in range(2):\n    b = a.one()\n",
                 "5: tf.ReaderBase.read: 'one' reads a queue that its object keeps, and is called several times",
                 id="queue of one object, batched in a loop after it"),
    pytest.param(_READS + "    def one(self):\n        x = self.read()\n        return tf.train.batch([x], 2)\n"
                 "a = A()\nc = a\nb = a.one(), c.one()\n",
                 "5: tf.ReaderBase.read: 'one' reads a queue that its object keeps, and is called several times",
                 id="queue of an object with two names, batched twice"),
    pytest.param("class A(object):\n    def __init__(self):\n"
                 "        _, v = tf.TextLineReader().read(tf.train.string_input_producer(['a']))\n"
                 "        self.x = tf.size(v)\n"
                 "    def one(self):\n        return tf.train.batch([self.x], 2, shapes=[[]])\nA().one()\n",
                 "7: tf.train.batch: an object keeps its examples, and its call has shapes",
                 id="shapes for examples of an object"),
    pytest.param(_READS + "    def one(self):\n        x = self.read()\n        return tf.train.batch([x], 2)\n"
                 "b = [each.one() for each in [A()] * 2]\n",
                 "5: tf.ReaderBase.read: 'one' reads a queue that its object keeps, and is called several times",
                 id="queue of an object, batched in a loop"),
    pytest.param(_READS + "    def one(self):\n        x = self.read()\n        return tf.train.batch([x], 2)\n"
                 "a = A()\nb = a.one()\nprint(a.q)\n",
                 "12: tf.train.string_input_producer: its queue, self.q, is also used in another way",
                 id="queue of an object, used elsewhere"),
    pytest.param("class A(object):\n    def __init__(self):\n        self.q = tf.train.string_input_producer(['a'])\n"
                 "    def f(self):\n        return self.g(self.q)\n"
                 "    def g(self, queue):\n        _, value = tf.TFRecordReader().read(queue)\n"
                 "        return tf.train.batch([value], 2)\nb = A().f()\n",
                 "8: tf.ReaderBase.read: another method takes its queue from the object, and passes it to 'g': read it "
                 "in the method that takes it", id="queue that an object keeps and passes"),
])
def test_pipelines_of_objects_are_left_with_the_reason(text, left, tmp_path):
    found = left_pipelines(tmp_path, "import tensorflow as tf\n" + text)
    if left is None:
        assert len(found) == 1
    else:
        assert found == [left]
