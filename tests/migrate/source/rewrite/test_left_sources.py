"""Pipelines that are left as they are, since no dataset reads the same: producers, readers, and calls of them."""
import pytest
from migrate.source.rewrite.left_pipelines import START, left_pipelines

_ADDS = """def read(queue):
    _, value = tf.TFRecordReader().read(queue)
    tf.add_to_collection("{}", tf.size(value))
    return value
"""
_CHOSEN = """FLAGS = unknown.FLAGS
queue = tf.train.string_input_producer(["a"])
"""
_BATCHED = """_, value = reader.read(queue)
b = tf.train.batch([value], 2)
"""
_FILES = """def batches(files):
    return tf.train.batch([tf.TextLineReader().read(tf.train.string_input_producer(files))[1]], 2)
"""


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
    pytest.param("r = tf.train.string_input_producer(['a'])\np = tf.train.string_input_producer(['b'])\n"
                 "t = tf.TextLineReader()\nx, y = t.read(r)[1], t.read(p)[1]\n"
                 "b = tf.train.batch([x], 2)\nc = tf.train.batch([y], 2)\n",
                 "4: tf.TextLineReader: its reader is used elsewhere", id="a reader of lines of two queues"),
    pytest.param("queues = {}\nqueues['a'] = tf.train.string_input_producer(['a'])\n"
                 "_, x = tf.TextLineReader().read(queues['a'])\nb = tf.train.batch([x], 2)\n",
                 "3: tf.train.string_input_producer: its queue is kept in a dict or list, queues['a']: bind it to a "
                 "variable", id="a queue in a dict"),
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
    pytest.param("q = tf.FIFOQueue(9, [tf.string], [[]])\nwith tf.Session() as s:\n    s.run(q.enqueue(['a']))\n"
                 "    _, v = tf.TextLineReader().read(q)\n    b = tf.train.batch([v], 2)\n",
                 "4: tf.Session.run: Python code fills its queue by session.run: write it as Dataset.from_generator",
                 id="queue that is filled and not closed"),
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
    found = left_pipelines(tmp_path, "import tensorflow as tf\n" + text)
    if left is None:
        assert len(found) == 1
    else:
        assert found == [left]


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
_READER = START.replace("key, value = reader.read(queue)\n", "")


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
    (left,) = left_pipelines(tmp_path, text)
    assert left.endswith("tf.ReaderBase.read: a comprehension or a lambda reads, and gives another record each time")
