"""Pipelines that are left as they are, with the call, its line and the reason."""
import pytest

from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import read_project
from legacy_towers.migrate.source.rewrite.plan import plan_rewrite

_START = """import tensorflow as tf
queue = tf.train.string_input_producer(["a", "b"])
reader = tf.TFRecordReader()
key, value = reader.read(queue)
"""
_READER = """class A(object):
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
_ADDS = """def read(queue):
    _, value = tf.TFRecordReader().read(queue)
    tf.add_to_collection("{}", tf.size(value))
    return value
"""
_JOIN = """def join(examples):
    return tf.train.batch_join(examples, 2)
"""
_JOIN_IN_A_LOOP = """def join(examples):
    joined = []
    for a, b in examples:
        joined.append([a, b])
        print(1)
    return tf.train.batch_join(joined, 2)
"""
_CHOSEN = """FLAGS = unknown.FLAGS
queue = tf.train.string_input_producer(["a"])
"""
_BATCHED = """_, value = reader.read(queue)
b = tf.train.batch([value], 2)
"""
_FETCHED = ("single examples are fetched beside the batch: a queue divides its examples between both, and a dataset "
            "would give all of them to each; read the single ones from a dataset of their own")
_FILES = """def batches(files):
    return tf.train.batch([tf.TextLineReader().read(tf.train.string_input_producer(files))[1]], 2)
"""


def _left(tmp_path, text):
    path = tmp_path / "script.py"
    path.write_text(text)
    project = read_project([str(path)])
    found = find_pipelines(project)
    plan = plan_rewrite(project, found)
    # Others of the file may be rewritten.
    assert len(plan.rewritten) < len(found.pipelines)
    assert len(found.pipelines) > 1 or plan.texts == {}
    return [str(each)[len(str(path)) + 1 :] for each in plan.left]


@pytest.mark.parametrize("text, left", [
    pytest.param("b = tf.train.batch([value], 2)\nprint(queue.size())\n",
                 "6: tf.QueueBase.size: the size of its queue is read, and a dataset has none: remove the code "
                 "that shows or awaits it", id="size of the queue"),
    pytest.param("b = tf.train.batch([value], 2)\ntf.summary.scalar('n', queue.size())\nm = tf.summary.merge_all()\n",
                 "6: tf.QueueBase.size: the size of its queue is read, and a dataset has none: remove the code "
                 "that shows or awaits it", id="the only summary is of the size of the queue"),
    pytest.param("b = tf.train.batch([value], 2)\nn = queue.size()\ntf.summary.scalar('n', n)\nprint(n)\n",
                 "6: tf.QueueBase.size: the size of its queue is read, and a dataset has none: remove the code "
                 "that shows or awaits it", id="size of the queue summarized and printed"),
    pytest.param("n = reader.num_records_produced()\nb = tf.train.batch([value], 2)\n",
                 "5: tf.ReaderBase.num_records_produced: it uses the position of its reader, which a dataset does not "
                 "have: count examples by tf.data or in Python", id="records produced"),
    pytest.param("x = tf.decode_raw(value, tf.uint8)\nb = tf.train.batch([x], 2)\nm = tf.reduce_mean(x - b)\n",
                 "7: tf.ReaderBase.read: 'x' holds one example, and is used after the batch", id="example used later"),
    pytest.param("x = tf.decode_raw(value, tf.uint8)\ntf.summary.merge([x])\nb = tf.train.batch([x], 2)\n",
                 "6: tf.ReaderBase.read: tf.summary.merge summarizes each example, which Dataset.map can't: summarize "
                 "the batch", id="merged summary"),
    pytest.param("import sys\nx = tf.reshape(value, [1])\nif sys.argv:\n    print(x)\n    x = tf.train.batch([x], 2)\n"
                 "print(x)\n",
                 "7: tf.train.batch: 'x' is one example where the `if` does not batch, and is read after it",
                 id="batch in one branch, with something else"),
    pytest.param("import sys\nx = tf.reshape(value, [1])\nif sys.argv:\n    x = tf.train.batch([x], 2)\nelse:\n"
                 "    print(1)\nprint(x)\n",
                 "7: tf.train.batch: 'x' is one example where the `if` does not batch, and is read after it",
                 id="batch in one of two branches"),
    pytest.param("w = tf.get_variable('w', [])\nx = tf.to_float(tf.size(value)) * w\nb = tf.train.batch([x], 2)\n",
                 "4: tf.ReaderBase.read: it computes examples with 'w', which is a variable (tf.get_variable)",
                 id="variable"),
    pytest.param("x = tf.decode_raw(value, tf.uint8)\ny = tf.size(x)\nx = tf.constant(1)\nz = y * x\n"
                 "b = tf.train.batch([z], 2)\n",
                 "8: tf.ReaderBase.read: 'x' gets another value on the way", id="name of something else"),
    pytest.param("x = tf.decode_raw(value, tf.uint8)\ny = tf.size(x)\nx = tf.constant(1)\n"
                 "b = tf.train.batch([y, x], 2)\n",
                 "8: tf.ReaderBase.read: 'x' gets another value on the way", id="name of something else in the batch"),
    pytest.param("b = tf.contrib.training.bucket([value], tf.size(value), [2, 3], 2)\n",
                 "5: tf.contrib.training.bucket: its buckets have batches of several sizes, or may have: write it as "
                 "tf.data.experimental.group_by_window with a window_size_func", id="buckets of several sizes"),
    pytest.param("b = tf.contrib.training.bucket([value], tf.size(value), 2, 2, dynamic_pad=len(FILES) > 1)\n",
                 "5: tf.contrib.training.bucket: whether it pads (dynamic_pad) is known only when the script runs",
                 id="buckets that may pad"),
    pytest.param(_JOIN + "def f(examples):\n    return join(examples)\nb = f([[value, value] for _ in range(2)])\n",
                 "8: tf.train.batch_join: its list of examples is passed on by another function: join the list in the "
                 "function that gets it first", id="list passed on"),
    pytest.param(_JOIN.replace("return", "print(examples)\n    return") + "b = join([[value] for _ in range(2)])\n",
                 "6: tf.train.batch_join: 'join' uses the list that it joins for something else, too",
                 id="list used where it is joined"),
    pytest.param("def decoded(x, n):\n    return [[x, tf.size(x)] for _ in range(n)]\ne = decoded(value, 2)\n"
                 "b = tf.train.batch_join(e, 2)\n",
                 "8: tf.train.batch_join: the source does not show what it joins",
                 id="list of a function that does not read"),
    pytest.param(_JOIN + "e = [[value, value] for _ in range(2)]\nb = join(e)\nprint(e)\n",
                 "8: tf.train.batch_join: the source does not show that examples of the list that it gets are made "
                 "alike, and nothing else uses it", id="list used where it is made"),
    pytest.param(_JOIN_IN_A_LOOP + "b = join([[value, value, value] for _ in range(2)])\n",
                 "10: tf.train.batch_join: the source does not show the parts of the examples that 'join' gets",
                 id="parts of examples in a list"),
    pytest.param(_JOIN_IN_A_LOOP + "b = join([[value, value] for _ in range(2)])\n",
                 "9: tf.train.batch_join: the loop that makes its examples does something else, too",
                 id="loop over a list that prints"),
    pytest.param("b = tf.train.batch([tf.to_float(tf.size(value)) * tf.get_variable('w', [])], 2)\n",
                 "5: tf.ReaderBase.read: tf.get_variable makes a variable for examples, which Dataset.map can't",
                 id="variable in the batch"),
    pytest.param("e = []\nfor _ in range(3):\n    e.append([tf.to_float(tf.size(value)) * tf.get_variable('w', [])])\n"
                 "b = tf.train.batch_join(e, 2)\n",
                 "7: tf.ReaderBase.read: tf.get_variable makes a variable for examples, which Dataset.map can't",
                 id="variable in a list of examples"),
    pytest.param("def f(x):\n    return tf.to_float(tf.size(x)) * tf.get_variable('w', [])\n"
                 "b = tf.train.batch([f(value)], 2)\n",
                 "7: tf.ReaderBase.read: PATH:6: tf.get_variable makes a variable for examples, which Dataset.map "
                 "can't",
                 id="variable of a function in the arguments of batch"),
    pytest.param("import sys\nif sys.argv:\n    value, n = value + '', 2\nelse:\n    n = 3\n"
                 "b = tf.train.batch([value], 4, num_threads=n)\n",
                 "4: tf.ReaderBase.read: 'n' is set by a statement that computes an example, and batches are made "
                 "with it: set it in a statement of its own", id="number of threads in a branch that computes"),
    pytest.param("import sys\nif sys.argv:\n    value, size = value + '', 2\nelse:\n    size = 3\n"
                 "b = tf.train.batch([value], size)\n",
                 "4: tf.ReaderBase.read: 'size' is set by a statement that computes an example, and batches are made "
                 "with it: set it in a statement of its own", id="size of the batch in a branch that computes"),
    pytest.param("p = tf.placeholder(tf.float32)\nx = tf.to_float(tf.size(value)) * p\nb = tf.train.batch([x], 2)\n",
                 "4: tf.ReaderBase.read: it computes examples with 'p', which is fed (tf.placeholder)",
                 id="placeholder"),
    pytest.param("x = tf.size(value)\nwith tf.Session() as s:\n    for _ in range(2):\n        n = s.run(x)\n"
                 "b = tf.train.batch([x], 2)\n", "8: tf.ReaderBase.read: " + _FETCHED, id="fetched before the batch"),
    pytest.param("b = tf.train.batch([value], 2)\nwith tf.Session() as session:\n    x, y = session.run([value, b])\n",
                 "7: tf.ReaderBase.read: " + _FETCHED, id="fetched with the batch"),
    pytest.param("x = tf.size(value)\ns = tf.InteractiveSession()\nprint(x.eval())\nb = tf.train.batch([x], 2)\n",
                 "7: tf.ReaderBase.read: " + _FETCHED, id="evaluated before the batch"),
    pytest.param("size = tf.placeholder_with_default(2, [])\ndef cut(x):\n    return tf.substr(x, 0, size)\n"
                 "def parse(x):\n    return cut(x)\nb = tf.train.batch([parse(value)], 2)\n",
                 "10: tf.ReaderBase.read: PATH:5: it computes examples with 'size', which is fed "
                 "(tf.placeholder_with_default)", id="placeholder that a function reads"),
    pytest.param("class Inputs(object):\n    def __init__(self):\n        self.size = tf.Variable(2)\n"
                 "    def parse(self, x):\n        return tf.substr(x, 0, self.size)\n"
                 "b = tf.train.batch([Inputs().parse(value)], 2)\n",
                 "10: tf.ReaderBase.read: PATH:7: it computes examples with 'self.size', which is a variable "
                 "(tf.Variable)", id="variable that a method reads"),
    pytest.param("def draw():\n    global noise\n    noise = 2 * tf.random_uniform([])\ndraw()\n"
                 "def f(x):\n    return tf.to_float(tf.size(x)) + noise\nb = tf.train.batch([f(value)], 2)\n",
                 "11: tf.ReaderBase.read: PATH:7: it computes examples with 'noise', which has random numbers that are "
                 "drawn outside of it (tf.random_uniform)", id="random numbers that a function reads"),
    pytest.param("t = tf.contrib.lookup.index_table_from_tensor(['a'])\nx = t.lookup(value)\n"
                 "b = tf.train.batch([x], 2)\n",
                 "4: tf.ReaderBase.read: it computes examples with a table, and nothing would initialize the iterator "
                 "of its dataset: run tf.tables_initializer()", id="table"),
    pytest.param("for _ in range(2):\n    b = tf.train.batch([value], 2)\n",
                 "6: tf.train.batch: it is called in another block than its examples are read in: in a loop, perhaps",
                 id="batches in a loop"),
    pytest.param("a = tf.train.batch([value], 2)\nb = tf.train.batch([value], 2)\n",
                 "6: tf.ReaderBase.read: 'value' holds one example, and is used after the batch", id="two batches"),
    pytest.param("scale = 2\nx = tf.decode_raw(value, tf.uint8) * scale\nscale = 3\nb = tf.train.batch([x], 2)\n",
                 "7: tf.ReaderBase.read: 'scale' is bound again, after what computes an example reads it",
                 id="a name bound again"),
    pytest.param("tensors = some_tensors(value)\nb = tf.train.batch(tensors, 2)\n",
                 "6: tf.train.batch: the source does not show whether it batches a list or a dict", id="list or dict"),
    pytest.param("b = tf.train.batch([value], 2, shared_name='all')\n",
                 "5: tf.train.batch: its shared_name lets several processes read from one queue", id="shared name"),
    pytest.param("b = tf.train.batch([value], 2, **options)\n",
                 "5: tf.train.batch: it is called with *arguments, **keywords or arguments that it does not have",
                 id="keywords"),
    pytest.param("b = tf.train.batch([value], 2, dynamic_pad=pad)\n",
                 "5: tf.train.batch: whether it pads (dynamic_pad) is known only when the script runs", id="pads"),
    pytest.param("x = tf.decode_raw(value, tf.uint8)\nb = tf.train.maybe_batch([x], x > 1, 2, enqueue_many=True)\n",
                 "6: tf.train.maybe_batch: its keep_input is of many examples (enqueue_many): write it as "
                 "Dataset.filter, after Dataset.unbatch", id="keep_input of many examples"),
    pytest.param("step = tf.train.get_or_create_global_step()\nw = tf.get_variable('w', [])\n"
                 "b = tf.train.maybe_batch([value], w > 1, 2)\n",
                 "4: tf.ReaderBase.read: it computes examples with 'w', which is a variable (tf.get_variable)",
                 id="keep_input of a variable"),
    pytest.param("def b(sizes):\n    n = tf.train.range_input_producer(9).dequeue()\n"
                 "    return tf.contrib.training.bucket_by_sequence_length(n, [n], sizes, [4])\nb([2, 2])\n"
                 "c = tf.train.batch([value], 2)\n",
                 "7: tf.contrib.training.bucket_by_sequence_length: whether its batch_size is a number or a list is "
                 "known only when the script runs", id="batch sizes of an argument"),
    pytest.param("n = tf.size(value)\nb = tf.contrib.training.bucket_by_sequence_length(n, {'n': n}, 2, [4])\n",
                 "6: tf.contrib.training.bucket_by_sequence_length: its tensors are a dict of one, which it gives back "
                 "with a list in it: batch a list", id="bucket of a dict of one"),
    pytest.param("with tf.control_dependencies([tf.assert_positive(tf.size(value))]):\n"
                 "    b = tf.train.batch([value], 2)\n",
                 "5: tf.ReaderBase.read: 'value' holds one example, and is used beside the batch",
                 id="control dependencies"),
    pytest.param("x = tf.decode_raw(value, tf.uint8)\nangle = tf.random_uniform([])\nif len(FILES) > 1:\n"
                 "    x = tf.contrib.image.rotate(x, angle)\n    b = tf.train.batch([x], 2)\nelse:\n"
                 "    b = tf.train.batch([x], 4)\n",
                 "7: tf.ReaderBase.read: 'x' holds one example, and is used beside the batch",
                 id="a branch that computes with a random number drawn before it"),
    pytest.param("x = tf.decode_raw(value, tf.uint8)\nif len(FILES) > 1:\n    y = tf.to_float(x)\n"
                 "    b = tf.train.batch([y], 2)\nelse:\n    b = tf.train.batch([x], 4)\nn = tf.size(x)\n",
                 "11: tf.ReaderBase.read: 'x' holds one example, and is used after the batch",
                 id="a branch that computes, and an example used after all branches"),
])
def test_irregular_pipelines_are_left_with_the_reason(text, left, tmp_path):
    found = _left(tmp_path, _START + text)
    if left is None:
        assert len(found) == 1
    else:
        assert found == [left.replace("PATH", str(tmp_path / "script.py"))]


@pytest.mark.parametrize("text, left", [
    pytest.param("q = tf.train.string_input_producer(['a'])\n"
                 "for _ in range(2):\n    _, v = tf.TFRecordReader().read(q)\n    b = tf.train.batch([v], 2)\n",
                 "4: tf.ReaderBase.read: it is read in another block than its queue is made in: in a loop, perhaps",
                 id="reads in a loop"),
    pytest.param("def read(files):\n    return tf.TFRecordReader().read(tf.train.string_input_producer(files))[1]\n"
                 "def constant():\n    return tf.constant('a')\nif FLAGS:\n    x = read(['a'])\nelse:\n"
                 "    x = constant()\nb = tf.train.batch([x], 2)\n",
                 "3: tf.ReaderBase.read: one branch reads its examples, and another one makes them otherwise",
                 id="a branch that does not read"),
    pytest.param("def one(q):\n    return tf.TFRecordReader().read(q)[1]\n"
                 "def two(q):\n    _, x = tf.TFRecordReader().read(q)\n    return x, tf.size(x)\n"
                 "READ = {'one': one, 'two': two}\nq = tf.train.string_input_producer(['a'])\nx = READ[FLAGS](q)\n"
                 "b = tf.train.batch([x], 2)\n",
                 "9: tf.ReaderBase.read: the functions that read return different parts",
                 id="functions that return different parts"),
    pytest.param("def read(q):\n    return tf.TFRecordReader().read(q)[1]\n"
                 "q = tf.train.string_input_producer(['a'])\na, b = read(q), read(q)\n"
                 "x = tf.train.batch([a, b], 2)\n",
                 "5: tf.train.string_input_producer: several calls read its queue", id="one queue read twice"),
    pytest.param("a = tf.train.string_input_producer(['a'])\nb = tf.train.string_input_producer(['b'])\n"
                 "_, x = tf.TextLineReader().read(a)\ny = tf.size(x)\n_, x = tf.TextLineReader().read(b)\n"
                 "c = tf.train.batch([x, y], 2)\n",
                 "6: tf.ReaderBase.read: 'x' is the name of what two readers read",
                 id="two readers, a name used twice"),
    pytest.param("q = tf.train.string_input_producer(['a'])\nr = tf.TextLineReader()\nexamples = []\n"
                 "for number in range(2):\n    _, x = r.read(q)\n    examples.append([x, tf.constant(number)])\n"
                 "c = tf.train.batch_join(examples, 2)\n",
                 "7: tf.train.batch_join: its examples differ by 'number', the number of the loop that reads them: "
                 "compute all of them alike",
                 id="examples that differ by their reader"),
    pytest.param("q = [tf.train.string_input_producer([each]) for each in 'ab']\nr = tf.TextLineReader()\n"
                 "examples = []\nfor i in range(2):\n    _, x = r.read(q[i])\n    examples.append([x])\n"
                 "c = tf.train.batch_join(examples, 2)\n",
                 "6: tf.train.batch_join: its examples are read by 'i', the number of the loop that makes them: read "
                 "all of them alike", id="examples of the queue of their number"),
    pytest.param("q = tf.train.string_input_producer(['a'])\nr = tf.TextLineReader()\nexamples = []\n"
                 "for _ in range(2):\n    _, x = r.read(q)\n    examples.append([x])\n    open('a')\n"
                 "c = tf.train.batch_join(examples, 2)\n",
                 "8: tf.train.batch_join: the loop that makes its examples does something else, too",
                 id="a loop of readers that does more"),
    pytest.param("def read(q, reader):\n    _, x = reader.read(q)\n    return x\n"
                 "reader = tf.TextLineReader()\nq = tf.train.string_input_producer(['a'])\nx = read(q, reader)\n"
                 "print(reader.supports_serialize)\nb = tf.train.batch([x], 2)\n",
                 "5: tf.TextLineReader: its reader is used elsewhere", id="a reader that is passed and used"),
    pytest.param("def read(q):\n    return tf.TextLineReader().read(q)[1]\nclass A(object):\n"
                 "    def __init__(self):\n        self.q = tf.train.string_input_producer(['a'])\n"
                 "        self.x = read(self.q)\n    def size(self):\n        return self.q.name\n"
                 "    def batch(self):\n        return tf.train.batch([self.x], 2)\n",
                 "6: tf.train.string_input_producer: its queue is kept in an object, self.q: bind it to a variable",
                 id="a kept queue with other uses"),
    pytest.param("r = tf.train.string_input_producer(['a'])\np = tf.train.string_input_producer(['b'])\n"
                 "t = tf.TextLineReader()\nx, y = t.read(r)[1], t.read(p)[1]\n"
                 "b = tf.train.batch([x], 2)\nc = tf.train.batch([y], 2)\n",
                 "4: tf.TextLineReader: its reader is used elsewhere", id="a reader of lines of two queues"),
    pytest.param("queues = {}\nqueues['a'] = tf.train.string_input_producer(['a'])\n"
                 "_, x = tf.TextLineReader().read(queues['a'])\nb = tf.train.batch([x], 2)\n",
                 "3: tf.train.string_input_producer: its queue is kept in a dict or list, queues['a']: bind it to a "
                 "variable", id="a queue in a dict"),
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
    pytest.param("class Records:\n    def __init__(self, size):\n        self.size = size\n"
                 "        self.reader = tf.FixedLengthRecordReader(self.size)\n        self.size = 4\n"
                 "    def read(self, q):\n        _, x = self.reader.read(q)\n        return x\n"
                 "q = tf.train.string_input_producer(['a'])\nx = Records(8).read(q)\nb = tf.train.batch([x], 2)\n",
                 "5: tf.FixedLengthRecordReader: its record_bytes is computed in another function than its queue is "
                 "made in", id="an attribute that is set again"),
    pytest.param("def read(q, size):\n    size = size * 2\n    reader = tf.FixedLengthRecordReader(size)\n"
                 "    _, x = reader.read(q)\n    return x\n"
                 "q = tf.train.string_input_producer(['a'])\nx = read(q, 4)\nb = tf.train.batch([x], 2)\n",
                 "4: tf.FixedLengthRecordReader: its record_bytes is computed in the function that reads",
                 id="record_bytes of a parameter that gets another value"),
    pytest.param("SIZE = 4\ndef read(q, size=SIZE):\n    _, x = tf.FixedLengthRecordReader(size).read(q)\n"
                 "    return x\ndef inputs():\n    SIZE = 8\n    q = tf.train.string_input_producer(['a'])\n"
                 "    x = read(q)\n    return tf.train.batch([x], SIZE)\nb = inputs()\n",
                 "4: tf.FixedLengthRecordReader: its record_bytes is computed in the function that reads",
                 id="record_bytes of a default whose name means something else where the function is called"),
    pytest.param("class Records:\n    size = 8\n    def __init__(self):\n"
                 "        self.reader = tf.FixedLengthRecordReader(self.size)\n"
                 "    def halve(self):\n        self.size = 4\n"
                 "    def read(self, q):\n        _, x = self.reader.read(q)\n        return x\n"
                 "records = Records()\nrecords.halve()\n"
                 "q = tf.train.string_input_producer(['a'])\nx = records.read(q)\nb = tf.train.batch([x], 2)\n",
                 "5: tf.FixedLengthRecordReader: its record_bytes is computed in another function than its queue is "
                 "made in", id="an attribute that another method sets"),
    pytest.param("import random\nq = tf.train.string_input_producer(['a'])\n_, x = tf.WholeFileReader().read(q)\n"
                 "images = []\nfor _ in range(4):\n"
                 "    image = tf.image.rot90(tf.image.decode_png(x), random.randint(0, 3))\n"
                 "    images.append([image])\nb = tf.train.batch_join(images, 2, dynamic_pad=True)\n",
                 "7: tf.train.batch_join: its examples differ by random.randint, which Python computes for each of "
                 "them",
                 id="examples that differ by a random number of Python"),
    pytest.param("q = tf.train.string_input_producer(['a'])\n_, x = tf.TextLineReader().read(q)\n"
                 "last, lines = tf.constant(''), []\nfor _ in range(4):\n    both = tf.strings.join([x, last])\n"
                 "    last = x\n    lines.append([both])\nb = tf.train.batch_join(lines, 2)\n",
                 None, id="examples that depend on those before"),
    pytest.param("options = dict(batch_size=2)\noptions.update(num_threads=2)\n"
                 "q = tf.train.string_input_producer(['a'])\n_, x = tf.TextLineReader().read(q)\n"
                 "b = tf.train.batch([x], **options)\n",
                 "6: tf.train.batch: it is called with *arguments, **keywords or arguments that it does not have",
                 id="keywords of a dict that changes"),
    pytest.param("if FLAGS.train:\n    a = tf.train.string_input_producer(['a'])\nelse:\n"
                 "    b = tf.train.string_input_producer(['b'])\n"
                 "_, x = tf.TextLineReader().read(a if FLAGS.train else b)\nc = tf.train.batch([x], 2)\n",
                 "6: tf.train.string_input_producer: its queue is also used in another way",
                 id="queues of branches, with two names"),
    pytest.param("def batched(a, b):\n    return tf.train.batch([a, b], 2)\n"
                 "def one():\n    _, x = tf.TextLineReader().read(tf.train.string_input_producer(['a']))\n"
                 "    return batched(x, tf.constant(0))\n"
                 "def other():\n    _, y = tf.TextLineReader().read(tf.train.string_input_producer(['b']))\n"
                 "    return batched(tf.constant('a'), y)\none()\nother()\n",
                 "5: tf.TextLineReader: 'batched' is called in different ways",
                 id="two producers, each for another argument of a function"),
    pytest.param("if FIRST:\n    q = tf.train.string_input_producer(['a'])\nelse:\n"
                 "    q = tf.train.string_input_producer(tf.placeholder(tf.string, [1]))\n"
                 "_, x = tf.TextLineReader().read(q)\nc = tf.train.batch([x], 2)\n",
                 "5: tf.train.string_input_producer: it reads from what is fed (tf.placeholder)",
                 id="fed in one of two branches"),
    pytest.param("q = tf.train.string_input_producer(tf.random_shuffle(['a', 'b']))\n"
                 "_, x = tf.TextLineReader().read(q)\nc = tf.train.batch([x], 2)\n",
                 "2: tf.train.string_input_producer: it reads from what is drawn at random in each epoch "
                 "(tf.random_shuffle)", id="files in a random order of the script's own"),
    pytest.param("q = tf.train.string_input_producer(['a'])\n"
                 "_, x = tf.FixedLengthRecordReader(8, hop_bytes=4).read(q)\nb = tf.train.batch([x], 2)\n",
                 "3: tf.FixedLengthRecordReader: its records overlap or have gaps (hop_bytes), which tf.data can't "
                 "read",
                 id="hop_bytes"),
    pytest.param("images = tf.Variable(tf.zeros([4]))\n"
                 "x, = tf.train.slice_input_producer([images])\nb = tf.train.batch([x], 2)\n",
                 "3: tf.train.slice_input_producer: it computes examples with 'images', which is a variable "
                 "(tf.Variable)", id="slices of a variable"),
    pytest.param("u = tf.random_uniform([])\nprint(u)\nq = tf.train.string_input_producer(['a'])\n"
                 "_, x = tf.TextLineReader().read(q)\ny = tf.to_float(tf.size(x)) * u\n"
                 "b = tf.train.batch([y], 2)\nz = u + 1\n", None, id="random numbers used elsewhere"),
    pytest.param("def late():\n    return value\n"
                 "q = tf.train.string_input_producer(['a'])\n_, value = tf.TextLineReader().read(q)\n"
                 "b = tf.train.batch([value], 2)\n",
                 "2: tf.ReaderBase.read: 'value' holds one example, and late uses it", id="function uses an example"),
    pytest.param("class A(object):\n    def __init__(self):\n        q = tf.train.string_input_producer(['a'])\n"
                 "        _, v = tf.TextLineReader().read(q)\n        self.size = tf.size(v)\n"
                 "        self.sizes = tf.train.batch([self.size], 2)\na = A()\nprint(a.size)\n",
                 "9: tf.ReaderBase.read: 'self.size' holds one example, and is also used elsewhere",
                 id="attribute of one example used elsewhere"),
    pytest.param("def read():\n    q = tf.train.string_input_producer(['a'])\n"
                 "    _, v = tf.TextLineReader().read(q)\n    if LATER:\n        return tf.constant('')\n    return v\n"
                 "b = read()\nc = tf.train.batch([b], 2)\n",
                 "6: tf.ReaderBase.read: the function that reads has 2 return statements",
                 id="function that returns examples or a constant"),
    pytest.param("def batches(q):\n    _, v = tf.TextLineReader().read(q)\n    return tf.train.batch([v], 2)\n"
                 "q = tf.train.string_input_producer(['a'])\nfor _ in range(2):\n    b = batches(q)\n",
                 "7: tf.train.string_input_producer: its queue is read in another block than it is made in: in a "
                 "loop, perhaps", id="queue passed in a loop to a function that batches"),
    pytest.param("def batches(q):\n    _, v = tf.TextLineReader().read(q)\n    return tf.train.batch([v], 2)\n"
                 "q = tf.train.string_input_producer(['a'])\nb = [batches(q) for _ in range(2)]\n",
                 "6: tf.train.string_input_producer: its queue is read in another block than it is made in: in a "
                 "loop, perhaps", id="queue passed in a comprehension to a function that batches"),
    pytest.param("def batches(q):\n    _, v = tf.TextLineReader().read(q)\n    return tf.train.batch([v], 2)\n"
                 "q = tf.train.string_input_producer(['a'])\na = batches(q)\nb = batches(q)\n",
                 "7: tf.train.string_input_producer: several calls read its queue",
                 id="queue passed twice to a function that batches"),
    pytest.param(_READER + "    def two(self):\n        return tf.train.batch([self.read()], 2), self.read()\n"
                 "A().two()\n",
                 "5: tf.ReaderBase.read: 'read' reads a queue that its object keeps, and is called several times",
                 id="queue of an object, read twice"),
    pytest.param(_READER + "    def one(self):\n        x = self.read()\n        return tf.train.batch([x], 2)\n"
                 "a = A()\nb = a.one(), a.one()\n",
                 "5: tf.ReaderBase.read: 'one' reads a queue that its object keeps, and is called several times",
                 id="queue of an object, batched twice"),
    pytest.param(_READER + "    def one(self):\n        x = self.read()\n        return tf.train.batch([x], 2)\n"
                 "a = A()\nfor _ in range(2):\n    b = a.one()\n",
                 "5: tf.ReaderBase.read: 'one' reads a queue that its object keeps, and is called several times",
                 id="queue of one object, batched in a loop after it"),
    pytest.param(_READER + "    def one(self):\n        x = self.read()\n        return tf.train.batch([x], 2)\n"
                 "a = A()\nc = a\nb = a.one(), c.one()\n",
                 "5: tf.ReaderBase.read: 'one' reads a queue that its object keeps, and is called several times",
                 id="queue of an object with two names, batched twice"),
    pytest.param("q = tf.FIFOQueue(9, [tf.string], [[]])\nwith tf.Session() as s:\n    s.run(q.enqueue(['a']))\n"
                 "    _, v = tf.TextLineReader().read(q)\n    b = tf.train.batch([v], 2)\n",
                 "4: tf.Session.run: Python code fills its queue by session.run: write it as Dataset.from_generator",
                 id="queue that is filled and not closed"),
    pytest.param("class A(object):\n    def __init__(self):\n"
                 "        _, v = tf.TextLineReader().read(tf.train.string_input_producer(['a']))\n"
                 "        self.x = tf.size(v)\n"
                 "    def one(self):\n        return tf.train.batch([self.x], 2, shapes=[[]])\nA().one()\n",
                 "7: tf.train.batch: an object keeps its examples, and its call has shapes",
                 id="shapes for examples of an object"),
    pytest.param(_READER + "    def one(self):\n        x = self.read()\n        return tf.train.batch([x], 2)\n"
                 "b = [each.one() for each in [A()] * 2]\n",
                 "5: tf.ReaderBase.read: 'one' reads a queue that its object keeps, and is called several times",
                 id="queue of an object, batched in a loop"),
    pytest.param(_READER + "    def one(self):\n        x = self.read()\n        return tf.train.batch([x], 2)\n"
                 "a = A()\nb = a.one()\nprint(a.q)\n",
                 "12: tf.train.string_input_producer: its queue, self.q, is also used in another way",
                 id="queue of an object, used elsewhere"),
    pytest.param("q = tf.FIFOQueue(10, [tf.float32])\nput = q.enqueue(1.0)\nb = q.dequeue()\n",
                 "2: tf.FIFOQueue: the source does not show its producers", id="queue of its own that is fed"),
    pytest.param("q = tf.FIFOQueue(10, [tf.float32])\nb = q.dequeue()\n",
                 "2: tf.FIFOQueue: no producer or queue runner that fills it was found in the files",
                 id="queue of its own"),
    pytest.param(_FILES + "names = tf.match_filenames_once('*')\nprint(names)\nb = batches(names)\n",
                 "6: tf.train.string_input_producer: it reads names of files that match_filenames_once keeps in a "
                 "variable, and that are also used elsewhere: match them by tf.gfile.Glob",
                 id="matched names of a caller that are used elsewhere"),
    pytest.param(_FILES + "b = batches(tf.get_variable('names', [2], tf.string))\n",
                 "4: tf.train.string_input_producer: it reads from what is a variable (tf.get_variable)",
                 id="variable of a caller"),
    pytest.param(_ADDS.format("losses") + "b = tf.train.batch([read(tf.train.string_input_producer(['a']))], 2)\n",
                 "4: tf.ReaderBase.read: tf.add_to_collection adds to a collection of the graph, which Dataset.map "
                 "can't", id="collection of TensorFlow"),
    pytest.param(_ADDS.format("sizes") + "b = tf.train.batch([read(tf.train.string_input_producer(['a']))], 2)\n"
                 "print(tf.get_collection('sizes'))\n",
                 "4: tf.ReaderBase.read: tf.add_to_collection adds to a collection of the graph, which Dataset.map "
                 "can't", id="collection that is read"),
    pytest.param("n = tf.size([1])\nwith tf.control_dependencies([tf.assert_positive(n)]):\n    n = tf.identity(n)\n"
                 "i = tf.train.range_input_producer(n).dequeue()\nb = tf.train.batch([i], 2)\n",
                 "5: tf.train.range_input_producer: n is computed under tf.control_dependencies, which a dataset does "
                 "not keep", id="number that is asserted, in a batch"),
    pytest.param("import sys\n_, value = tf.TextLineReader().read(tf.train.string_input_producer(['a']))\n"
                 "if sys.argv:\n    x = tf.size(value)\n    b = tf.train.batch([x], 2)\nelse:\n    b = value\n",
                 "6: tf.train.batch: a branch computes and batches its examples, and another branch uses them "
                 "otherwise: write a dataset for each of them", id="branch that uses an example without a batch"),
    pytest.param("queue = tf.train.string_input_producer(['a'])\ne = []\nfor _ in range(2):\n"
                 "    _, value = tf.TFRecordReader().read(queue)\n    e.append([value])\n"
                 "b = tf.train.maybe_batch_join(e, tf.size(value) > 2, 2)\n",
                 "7: tf.train.maybe_batch_join: its keep_input is of one record, and it joins examples of several: "
                 "filter the examples of each reader", id="keep_input of one of several readers"),
    pytest.param(_CHOSEN + "reader = tf.TextLineReader() if FLAGS else tf.WholeFileReader()\n" + _BATCHED,
                 "4: tf.TextLineReader: it is one of two readers that are not both of records: make the datasets in an "
                 "`if`", id="a reader of lines or of files"),
    pytest.param(_CHOSEN + "x = 1\nx = len(FLAGS)\nreader = tf.TextLineReader() if x else tf.TFRecordReader()\n"
                 + _BATCHED,
                 "6: tf.TextLineReader: it is chosen by 'x', which gets several values", id="a condition that changes"),
    pytest.param(_CHOSEN + "if FLAGS:\n    reader = tf.TextLineReader()\nelif queue:\n"
                 "    reader = tf.TFRecordReader()\nelse:\n    reader = tf.WholeFileReader()\n" + _BATCHED,
                 "7: tf.TFRecordReader: its examples come from several readers", id="readers of three branches"),
    pytest.param(_CHOSEN + "if FLAGS:\n    reader = tf.TextLineReader()\nelse:\n    reader = unknown.reader()\n"
                 + _BATCHED,
                 "5: tf.TextLineReader: the source does not show which of several readers it is",
                 id="one of two readers is unknown"),
    pytest.param("def f(files, reader=None):\n    reader = reader or tf.TextLineReader()\n"
                 "    _, value = reader.read(tf.train.string_input_producer(files))\n"
                 "    return tf.train.batch([value], 2)\nb = f(['a'], tf.TextLineReader())\n",
                 "6: tf.TextLineReader: its examples come from several readers", id="a reader that a call passes"),
    pytest.param("def f(files, reader=None):\n    own = reader or tf.TextLineReader()\n"
                 "    _, value = own.read(tf.train.string_input_producer(files))\n"
                 "    return tf.train.batch([value], 2)\nb = f(['a'], unknown.reader())\n",
                 "6: tf.TextLineReader: its reader may be the argument 'reader'", id="an unknown reader is passed"),
    pytest.param("class A(object):\n    def __init__(self):\n        self.q = tf.train.string_input_producer(['a'])\n"
                 "    def f(self):\n        return self.g(self.q)\n"
                 "    def g(self, queue):\n        _, value = tf.TFRecordReader().read(queue)\n"
                 "        return tf.train.batch([value], 2)\nb = A().f()\n",
                 "8: tf.ReaderBase.read: another method takes its queue from the object, and passes it to 'g': read it "
                 "in the method that takes it", id="queue that an object keeps and passes"),
    pytest.param("from tensorflow.contrib import slim\nqueue = tf.train.string_input_producer(['a'])\n"
                 "common = tf.FIFOQueue(10, [tf.string, tf.string], [[], []])\n"
                 "reader = slim.parallel_reader.ParallelReader(tf.TFRecordReader, common)\n"
                 "_, value = reader.read(queue)\nb = tf.train.batch([value], 2)\n",
                 "5: tf.contrib.slim.ParallelReader: its readers fill a queue that the script makes: read by "
                 "slim.parallel_read, which makes it, or write it as Dataset.interleave over the files, then shuffle",
                 id="ParallelReader"),
    pytest.param("from tensorflow.contrib import slim\n"
                 "class Batches(object):\n    def dequeue(self):\n        return 1\n"
                 "def take(queue):\n    return queue.dequeue()\n"
                 "_, x = tf.TextLineReader().read(tf.train.string_input_producer(['a']))\nb = tf.train.batch([x], 2)\n"
                 "c = take(slim.prefetch_queue.prefetch_queue([b]))\nd = take(Batches())\n",
                 "7: tf.QueueBase.dequeue: it may also be a call of 'Batches.dequeue' of the project, which stays: "
                 "call the two from different functions", id="a queue or an object of the project is passed"),
    pytest.param("def f(files):\n    _, x = tf.TextLineReader().read(tf.train.string_input_producer(files))\n"
                 "    return x, len(files)\nx, n = f(['a'])\nb = tf.train.batch([x], n)\ny, m = f(['b'])\n"
                 "z = tf.size(y)\n",
                 "7: tf.ReaderBase.read: it returns more than an example, which is not batched",
                 id="more than an example is returned"),
])
def test_irregular_sources_are_left_with_the_reason(text, left, tmp_path):
    found = _left(tmp_path, "import tensorflow as tf\n" + text)
    if left is None:
        assert len(found) == 1
    else:
        assert found == [left]


def test_a_pipeline_that_cannot_be_rewritten_stays_beside_others_of_its_file(tmp_path):
    stays = "p = tf.FIFOQueue(10, [tf.float32])\nc = p.dequeue()\n" + (
        "coord = tf.train.Coordinator()\nthreads = tf.train.start_queue_runners(tf.Session(), coord)\n"
        "while not coord.should_stop():\n    run()\ncoord.request_stop()\n")
    (tmp_path / "script.py").write_text(
        "import tensorflow as tf\n"
        "q = tf.train.string_input_producer(['a'])\n_, x = tf.TextLineReader().read(q)\n"
        "b = tf.train.batch([x], 2)\n" + stays)
    project = read_project([str(tmp_path)])
    plan = plan_rewrite(project, find_pipelines(project))
    assert [(each.site.line, each.reason) for each in plan.left] == [
        (5, "no producer or queue runner that fills it was found in the files")]
    assert len(plan.rewritten) == 1
    (text,) = plan.texts.values()
    assert "string_input_producer" not in text and "TextLineDataset" in text and text.endswith(stays)


@pytest.mark.parametrize("text", [
    pytest.param("def feed(x):\n    return tf.train.batch([x], 2)\n"
                 "q = tf.train.string_input_producer(['a'])\n_, x = tf.TextLineReader().read(q)\nb = feed(x)\n"
                 "_, y = tf.TFRecordReader().read(tf.train.string_input_producer(['a']))\n"
                 "c = feed(y + tf.placeholder(tf.string, []))\n", id="function that batches"),
    pytest.param("r = tf.TextLineReader()\n_, x = r.read(tf.train.string_input_producer(['a']))\n"
                 "b = tf.train.batch([x], 2)\n"
                 "_, y = r.read(tf.train.string_input_producer(['b']))\nc = tf.train.batch([y], 2, foo=1)\n",
                 id="reader"),
    pytest.param("def read(files):\n    q = tf.train.string_input_producer(files)\n"
                 "    return tf.TextLineReader().read(q)[1]\n"
                 "x = read(['a'])\nb = tf.train.batch([x], 2)\ny = read(['b'])\nc = tf.train.batch([y], 2, foo=1)\n",
                 id="function that reads"),
])
def test_pipelines_that_share_a_function_or_reader_are_left_together(tmp_path, text):
    (tmp_path / "script.py").write_text("import tensorflow as tf\n" + text)
    project = read_project([str(tmp_path)])
    plan = plan_rewrite(project, find_pipelines(project))
    assert plan.texts == {} and plan.left and not plan.rewritten


def test_a_file_of_python_2_that_only_starts_queues_and_cannot_be_edited_is_left(tmp_path):
    (tmp_path / "inputs.py").write_text(
        "import tensorflow as tf\n\ndef batches():\n    q = tf.train.string_input_producer(['a'])\n"
        "    _, v = tf.TextLineReader().read(q)\n    return tf.train.batch([v], 2)\n")
    (tmp_path / "train.py").write_bytes(
        b"import tensorflow as tf\nimport inputs\r\nx = inputs.batches()\r\nwith tf.Session() as s:\r\n"
        b"    coord = tf.train.Coordinator()\r\n    tf.train.start_queue_runners(s, coord)\r\n    print s.run(x)\r\n")
    project = read_project([str(tmp_path)])
    plan = plan_rewrite(project, find_pipelines(project))
    assert [path[-9:] for path in plan.texts] == ["inputs.py"]
    (left,) = plan.left
    assert (left.site.path[-8:], left.site.line) == ("train.py", 5)
    assert "is written for Python 2" in left.reason


def test_a_file_of_python_2_that_starts_queues_of_other_projects_and_cannot_be_edited_is_left(tmp_path):
    (tmp_path / "train.py").write_bytes(
        b"import tensorflow as tf\nwith tf.Session() as s:\r\n    coord = tf.train.Coordinator()\r\n"
        b"    tf.train.start_queue_runners(s, coord)\r\n    print s.run('x:0')\r\n")
    project = read_project([str(tmp_path)])
    (left,) = plan_rewrite(project, find_pipelines(project)).left
    assert "is written for Python 2" in left.reason


def test_a_prefetch_queue_of_batches_that_other_programs_read_stays_alone(tmp_path):
    (tmp_path / "inputs.py").write_text(
        "import tensorflow as tf\n\ndef batches():\n    q = tf.train.string_input_producer(['a'])\n"
        "    _, v = tf.TextLineReader().read(q)\n    x = tf.train.batch([v], 2)\n"
        "    tf.summary.scalar('size', tf.size(x))\n    return x\n")
    (tmp_path / "train.py").write_text(
        "import tensorflow as tf\nimport inputs\nx = inputs.batches()\nwith tf.Session() as s:\n"
        "    tf.train.start_queue_runners(s)\n    print(s.run(x))\n")
    towers = ("import tensorflow as tf\nimport inputs\nx = inputs.batches()\n"
              "q = tf.contrib.slim.prefetch_queue.prefetch_queue([x], capacity=4)\na, b = q.dequeue(), q.dequeue()\n"
              "with tf.Session() as s:\n    tf.train.start_queue_runners(s)\n    print(s.run([a, b]))\n")
    (tmp_path / "towers.py").write_text(towers)
    project = read_project([str(tmp_path)])
    plan = plan_rewrite(project, find_pipelines(project))
    texts = {path.rpartition("/")[2]: text for path, text in plan.texts.items()}
    assert sorted(texts) == ["inputs.py", "train.py"]
    assert not any("queue" in text for text in texts.values())
    assert [str(each).rpartition("/")[2][:50] for each in plan.left] == [
        "towers.py:4: tf.contrib.slim.prefetch_queue: a fun"]


_FUNCTION = """import tensorflow as tf

def read(queue):
    _, record = tf.TFRecordReader().read(queue)
    return tf.decode_raw(record, tf.uint8)

queue = tf.train.string_input_producer(["a", "b"])
"""
_TWO = """import tensorflow as tf

def read_two(queue):
    reader = tf.TFRecordReader()
    return [tf.decode_raw(reader.read(queue)[1], tf.uint8) for _ in range(2)]

queue = tf.train.string_input_producer(["a", "b"])
"""
_READER = _START.replace("key, value = reader.read(queue)\n", "")


@pytest.mark.parametrize("text", [
    _FUNCTION + "five = [read(queue) for _ in range(5)]\nb = tf.train.shuffle_batch_join([five], 8, 100, 50)[0]\n",
    _FUNCTION + "pair = [read(queue) for _ in range(2)]\nb = tf.train.batch(pair, 8)\n",
    _FUNCTION + "pair = {str(each): read(queue) for each in range(2)}\nb = tf.train.batch(pair, 8)\n",
    _FUNCTION + "examples = []\nfor _ in range(3):\n    pair = [read(queue) for _ in range(2)]\n"
    "    examples.append(pair)\nb = tf.train.batch_join(examples, 8)\n",
    _FUNCTION + "one = lambda: read(queue)\nb = tf.train.batch([one(), one()], 8)\n",
    _READER + "two = [tf.decode_raw(reader.read(queue)[1], tf.uint8) for _ in range(2)]\nb = tf.train.batch(two, 8)\n",
    _TWO + "pair = read_two(queue)\nb = tf.train.batch(pair, 8)\n",
], ids=["one list for a join", "list", "dict", "list in a loop", "lambda", "reader in a list", "list in a function"])
def test_several_records_of_one_example_are_left(tmp_path, text):
    # Dataset.map gives its function one record.
    (left,) = _left(tmp_path, text)
    assert left.endswith("tf.ReaderBase.read: a comprehension or a lambda reads, and gives another record each time")


def test_of_several_reasons_the_first_in_the_file_is_given(tmp_path):
    names = ("assign", "get_variable", "placeholder", "scatter_add", "Session", "Variable")
    functions = "".join("def {0}(x):\n    return tf.{0}(x, 'x')\n".format(name) for name in names)
    table = "f = {{{}}}[sys.argv[1]]\n".format(", ".join("'{0}': {0}".format(name) for name in names))
    for batch in ("b = tf.train.batch([f(value)], 2)\n", "x = f(value)\nb = tf.train.batch([x], 2)\n"):
        [left] = _left(tmp_path, "import sys\n" + functions + _START + table + batch)
        assert "script.py:3: tf.assign changes a variable for each example" in left


def test_function_that_another_file_imports_from_an_unknown_place_is_left(tmp_path):
    # Python finds it after a change of sys.path, or where the project is installed; two files have its name.
    (tmp_path / "data").mkdir()
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "inputs.py").write_text("")
    (tmp_path / "data" / "inputs.py").write_text(
        "import tensorflow as tf\ndef batches(queue):\n    _, value = tf.TextLineReader().read(queue)\n"
        "    return tf.train.batch([value], 2)\nbatch = batches(tf.train.string_input_producer(['a']))\n")
    other = tmp_path / "train.py"
    for line, is_left in (("from inputs import batches", True), ("from pack.data.inputs import batches", True),
                          ("from {}.data.inputs import batches".format(tmp_path.name), False),
                          ("import inputs as data", True), ("import inputs\n# for batches", False),
                          ("from tensorflow.inputs import batches", False)):
        other.write_text(line + ("" if "#" in line else "\nprint(batches)\n"))
        project = read_project([str(tmp_path)])
        left = [str(each) for each in plan_rewrite(project, find_pipelines(project)).left]
        assert bool(left) == is_left, (line, left)
        assert all("train.py imports 'batches', and the project does not show from which file" in each for each in left)
