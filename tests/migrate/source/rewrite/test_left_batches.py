"""Pipelines that are left as they are, since no dataset computes or batches their examples alike."""
import pytest
from migrate.source.rewrite.left_pipelines import START, left_pipelines

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
_FETCHED = ("single examples are fetched beside the batch: a queue divides its examples between both, and a dataset "
            "would give all of them to each; read the single ones from a dataset of their own")


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
    found = left_pipelines(tmp_path, START + text)
    if left is None:
        assert len(found) == 1
    else:
        assert found == [left.replace("PATH", str(tmp_path / "script.py"))]


def test_of_several_reasons_the_first_in_the_file_is_given(tmp_path):
    names = ("assign", "get_variable", "placeholder", "scatter_add", "Session", "Variable")
    functions = "".join("def {0}(x):\n    return tf.{0}(x, 'x')\n".format(name) for name in names)
    table = "f = {{{}}}[sys.argv[1]]\n".format(", ".join("'{0}': {0}".format(name) for name in names))
    for batch in ("b = tf.train.batch([f(value)], 2)\n", "x = f(value)\nb = tf.train.batch([x], 2)\n"):
        [left] = left_pipelines(tmp_path, "import sys\n" + functions + START + table + batch)
        assert "script.py:3: tf.assign changes a variable for each example" in left
