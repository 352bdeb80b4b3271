"""Which rule finds what in source code, and what no rule must find."""
import pytest

from legacy_towers.migrate.source.audit import audit_paths
from legacy_towers.migrate.source.queue_api import FED, TRACKED, method_names
from legacy_towers.migrate.source.rules.registry import of_name, rules


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


HEAD = """\
import tensorflow as tf
from tensorflow.python.ops import data_flow_ops
slim = tf.contrib.slim
"""
NAMES = "names = tf.train.string_input_producer(files)\n"
READ = "_, x = tf.TFRecordReader().read(tf.train.string_input_producer(files))\n"
START = "x = tf.train.batch([tf.constant(1)], 2)\ncoord = tf.train.Coordinator()\n"
LOOP = START + "threads = tf.train.start_queue_runners(sess, coord)\n"
SUPERVISOR = "x = tf.train.batch([tf.constant(1)], 2)\nsv = tf.train.Supervisor()\n"

# Source -> the (code, line) of what is found in it; lines are those after HEAD.
FOUND = {
    "string_input_producer": (NAMES, [("LT101", 1)]),
    "slice_input_producer": ("a, b = tf.train.slice_input_producer([a, b])", [("LT102", 1)]),
    "range_input_producer": ("i = tf.train.range_input_producer(5)", [("LT103", 1)]),
    "input_producer": ("i = tf.train.input_producer(t)", [("LT104", 1)]),
    "limit_epochs": ("i = tf.train.limit_epochs(t, 2)", [("LT105", 1)]),
    "match_filenames_once": ("n = tf.train.match_filenames_once('*')", [("LT106", 1)]),
    "match_filenames_once of tf": ("n = tf.match_filenames_once('*')", [("LT106", 1)]),
    "TFRecordReader": ("reader = tf.TFRecordReader()", [("LT201", 1)]),
    "TextLineReader": ("reader = tf.TextLineReader(skip_header_lines=1)", [("LT202", 1)]),
    "FixedLengthRecordReader": ("reader = tf.FixedLengthRecordReader(4)", [("LT203", 1)]),
    "WholeFileReader": ("reader = tf.WholeFileReader()", [("LT204", 1)]),
    "IdentityReader": ("reader = tf.IdentityReader()", [("LT205", 1)]),
    "LMDBReader": ("reader = tf.LMDBReader()", [("LT206", 1)]),
    "own reader": ("class R(tf.ReaderBase):\n  pass\nr = R()\nk, v = r.read(q)", [("LT207", 3), ("LT208", 4)]),
    "read": (READ, [("LT201", 1), ("LT101", 1), ("LT208", 1)]),
    "read_up_to": (NAMES + "_, x = tf.TFRecordReader().read_up_to(names, 8)",
                   [("LT101", 1), ("LT201", 2), ("LT209", 2)]),
    "position of a reader": ("r = tf.TFRecordReader()\nn = r.num_records_produced()", [("LT201", 1), ("LT210", 2)]),
    "batch": ("x = tf.train.batch([t], 2)", [("LT301", 1)]),
    "batch by another name": ("from tensorflow.train import batch as b\nb([t], 2)", [("LT301", 2)]),
    "batch of sugartensor": ("import sugartensor as tf\ntf.train.batch([t], 2)", [("LT301", 2)]),
    "shuffle_batch": ("x = tf.train.shuffle_batch([t], 2, 9, 4)", [("LT302", 1)]),
    "batch_join": ("x = tf.train.batch_join([[t], [t]], 2)", [("LT303", 1)]),
    "shuffle_batch_join": ("x = tf.train.shuffle_batch_join([[t]], 2, 9, 4)", [("LT304", 1)]),
    "maybe_batch": ("x = tf.train.maybe_batch([t], keep, 2)", [("LT305", 1)]),
    "maybe_shuffle_batch_join": ("x = tf.train.maybe_shuffle_batch_join([[t]], 2, 9, 4, keep)", [("LT306", 1)]),
    "bucket": ("x = tf.contrib.training.bucket([t], w, 2, 3)", [("LT307", 1)]),
    "bucket_by_sequence_length": (
        "from tensorflow.contrib.training import bucket_by_sequence_length\nbucket_by_sequence_length(n, [t], 2, [3])",
        [("LT308", 2)],
    ),
    "batch_sequences_with_states": (
        "x = tf.contrib.training.batch_sequences_with_states('k', s, {}, 4, i, 2, 1)", [("LT309", 1)]
    ),
    "stratified_sample": ("x = tf.contrib.training.stratified_sample([t], l, p, 2)", [("LT310", 1)]),
    "rejection_sample": ("x = tf.contrib.training.rejection_sample([t], f, 2)", [("LT311", 1)]),
    "weighted_resample": ("x = tf.contrib.training.weighted_resample([t], w, 1.0)", [("LT312", 1)]),
    "FIFOQueue": ("q = tf.FIFOQueue(9, [tf.int32])", [("LT401", 1)]),
    "RandomShuffleQueue": ("q = data_flow_ops.RandomShuffleQueue(9, 2, [tf.int32])", [("LT402", 1)]),
    "PaddingFIFOQueue": ("q = tf.PaddingFIFOQueue(9, [tf.int32], [[None]])", [("LT403", 1)]),
    "PriorityQueue": ("q = tf.PriorityQueue(9, [tf.int32])", [("LT404", 1)]),
    "from_list": ("q = tf.QueueBase.from_list(i, qs)\nx = q.dequeue()", [("LT405", 1), ("LT408", 2)]),
    "from_list of FIFOQueue": ("q = tf.FIFOQueue.from_list(i, qs)", [("LT405", 1)]),
    "enqueue and dequeue": (
        "q = tf.FIFOQueue(9, [tf.int32])\ne = q.enqueue([1])\nx = q.dequeue()\nn = q.size()\nc = q.close()",
        [("LT401", 1), ("LT406", 2), ("LT408", 3), ("LT411", 4), ("LT412", 5)],
    ),
    "enqueue and dequeue of many": (
        "q = tf.FIFOQueue(9, [tf.int32])\ne = q.enqueue_many([[1]])\nx = q.dequeue_many(3)\ny = q.dequeue_up_to(3)",
        [("LT401", 1), ("LT407", 2), ("LT409", 3), ("LT410", 4)],
    ),
    "a queue that is fed": (
        "p = tf.placeholder(tf.int32)\nq = tf.FIFOQueue(9, [tf.int32])\ne = q.enqueue([p])\n"
        "sess.run(e, feed_dict={p: 1})",
        [("LT401", 2), ("LT406", 3), ("LT413", 4)],
    ),
    "a queue that a thread feeds": (
        "import threading\nclass Reader(object):\n  def __init__(self):\n    self.p = tf.placeholder(tf.int32)\n"
        "    self.q = tf.PaddingFIFOQueue(9, [tf.int32], [[None]])\n    self.e = self.q.enqueue([self.p])\n"
        "  def loop(self, sess):\n    while True:\n      sess.run(self.e, feed_dict={self.p: 1})\n"
        "  def start(self, sess):\n    threading.Thread(target=self.loop, args=(sess,)).start()\n",
        [("LT403", 5), ("LT406", 6), ("LT413", 9)],
    ),
    "StagingArea": (
        "a = data_flow_ops.StagingArea([tf.int32])\np = a.put([t])\nx = a.get()",
        [("LT414", 1), ("LT414", 2), ("LT414", 3)],
    ),
    "MapStagingArea": ("a = data_flow_ops.MapStagingArea([tf.int32])", [("LT415", 1)]),
    "QueueRunner": (
        "q = tf.FIFOQueue(9, [tf.int32])\nr = tf.train.QueueRunner(q, [q.enqueue([1])])\n"
        "tf.train.add_queue_runner(r)\nthreads = r.create_threads(sess)",
        [("LT401", 1), ("LT406", 2), ("LT501", 2), ("LT502", 3), ("LT504", 4)],
    ),
    "the collection of queue runners": ("tf.add_to_collection(tf.GraphKeys.QUEUE_RUNNERS, r)", [("LT502", 1)]),
    "slim.queues": ("with slim.queues.QueueRunners(sess):\n  pass", [("LT504", 1)]),
    "start_queue_runners": (LOOP, [("LT301", 1), ("LT505", 2), ("LT503", 3)]),
    "a loop": (
        LOOP + "while not coord.should_stop():\n  pass\ncoord.request_stop()\ncoord.join(threads)",
        [("LT301", 1), ("LT505", 2), ("LT503", 3), ("LT506", 4), ("LT507", 6), ("LT508", 7)],
    ),
    "stop_on_exception": (
        LOOP + "with coord.stop_on_exception():\n  pass", [("LT301", 1), ("LT505", 2), ("LT503", 3), ("LT509", 4)]
    ),
    "start_queue_runners without a pipeline": (
        "coord = tf.train.Coordinator()\ntf.train.start_queue_runners(coord=coord)", [("LT505", 1), ("LT503", 2)]
    ),
    "local_variables_initializer": (
        "x = tf.train.batch([t], 2)\nsess.run(tf.local_variables_initializer())", [("LT301", 1), ("LT510", 2)]
    ),
    "initialize_local_variables": (
        "x = tf.train.batch([t], 2)\nsess.run(tf.initialize_local_variables())", [("LT301", 1), ("LT510", 2)]
    ),
    "Supervisor": (
        SUPERVISOR + "with sv.managed_session() as sess:\n  while not sv.should_stop():\n    pass\n  sv.coord.join()",
        [("LT301", 1), ("LT511", 2), ("LT512", 3), ("LT512", 4), ("LT512", 6), ("LT508", 6)],
    ),
    "Supervisor of slim": (
        "x = tf.train.batch([t], 2)\nsv = slim.learning.supervisor.Supervisor()", [("LT301", 1), ("LT511", 2)]
    ),
    "LooperThread": (
        LOOP + "t = tf.train.LooperThread(coord, 1.0)\ntf.train.LooperThread.loop(coord, 1.0, f)",
        [("LT301", 1), ("LT505", 2), ("LT503", 3), ("LT513", 4), ("LT513", 5)],
    ),
    "prefetch_queue": ("q = slim.prefetch_queue.prefetch_queue([t])\nx = q.dequeue()", [("LT601", 1), ("LT408", 2)]),
    "parallel_read": (
        "k, x = slim.parallel_reader.parallel_read(f, tf.TFRecordReader)", [("LT602", 1)]
    ),
    "ParallelReader": ("r = slim.parallel_reader.ParallelReader(c, q)\nk, x = r.read(n)", [("LT602", 1), ("LT602", 2)]),
    "DatasetDataProvider": (
        "d = slim.tfexample_decoder.TFExampleDecoder(k, i)\ns = slim.dataset.Dataset(f, tf.TFRecordReader, d, 9, {})\n"
        "p = slim.dataset_data_provider.DatasetDataProvider(s)\nx, = p.get(['x'])",
        [("LT604", 1), ("LT605", 2), ("LT603", 3), ("LT603", 4)],
    ),
    "read_batch_examples": ("x = tf.contrib.learn.read_batch_examples(f, 2, tf.TFRecordReader)", [("LT606", 1)]),
    "read_batch_features": ("x = tf.contrib.learn.io.read_batch_features(f, 2, s, r)", [("LT607", 1)]),
    "queue_parsed_features": (
        "from tensorflow.contrib.learn.python.learn.learn_io.graph_io import queue_parsed_features as q\nq({})",
        [("LT608", 2)],
    ),
    "numpy_input_fn": ("f = tf.estimator.inputs.numpy_input_fn({}, y, shuffle=True)", [("LT609", 1)]),
    "pandas_input_fn": ("f = tf.contrib.learn.io.pandas_input_fn(x, y)", [("LT609", 1)]),
}

# Sources in which nothing must be found.
NOTHING = {
    "tf.data": "d = tf.data.Dataset.range(3).shuffle(2).batch(2)\nx = d.make_one_shot_iterator().get_next()",
    "queues of Python": "import queue\nq = queue.Queue(3)\nq.put(1)\nx = q.get()",
    "a coordinator of other threads": (
        "import threading\ncoord = tf.train.Coordinator()\nwhile not coord.should_stop():\n  pass\n"
        "coord.request_stop()\ncoord.join([threading.Thread()])"
    ),
    "local variables of metrics": "m = tf.metrics.accuracy(a, b)\nsess.run(tf.local_variables_initializer())",
    "a supervisor without queues": (
        "sv = tf.train.Supervisor()\nwith sv.managed_session() as sess:\n  while not sv.should_stop():\n    pass"
    ),
    "a decoder that is used with tf.data": (
        "decoder = slim.tfexample_decoder.TFExampleDecoder(k, i)\n"
        "d = tf.data.TFRecordDataset(f).map(lambda s: decoder.decode(s))"
    ),
    "a description of files that nothing reads": "s = slim.dataset.Dataset(f, tf.TFRecordReader, d, 9, {})",
    "feeding": "p = tf.placeholder(tf.int32)\nsess.run(p, feed_dict={p: 1})",
    "own functions of the same names": "def shuffle_batch(x):\n  return x\nbatch = shuffle_batch\nbatch(3)",
    "methods of the same names": "class Q(object):\n  def dequeue(self):\n    pass\nQ().dequeue()",
    "batch of a layer": "x = tf.layers.batch_normalization(t)\ny = model.batch(3)",
    "comments and strings": "# tf.train.shuffle_batch\ns = 'tf.FIFOQueue(9, [tf.int32])'",
}


def found(tmp_path, source):
    path = tmp_path / "script.py"
    path.write_text(HEAD + source + "\n")
    before = HEAD.count("\n")
    return [(each.rule.code, each.site.line - before) for each in audit_paths([str(path)]).findings]


@pytest.mark.parametrize("source, expected", list(FOUND.values()), ids=list(FOUND))
def test_a_construct_is_found_by_its_rule(tmp_path, source, expected):
    assert sorted(found(tmp_path, source), key=lambda each: (each[1], each[0])) == sorted(
        expected, key=lambda each: (each[1], each[0]))


@pytest.mark.parametrize("source", list(NOTHING.values()), ids=list(NOTHING))
def test_nothing_is_found(tmp_path, source):
    assert found(tmp_path, source) == []


def test_each_rule_is_in_the_table():
    assert {code for _, expected in FOUND.values() for code, _ in expected} == {rule.code for rule in rules()}


def test_each_name_of_queues_has_a_rule():
    for name in sorted((TRACKED | method_names()) - set(FED)):
        assert name in of_name(name).names


def test_codes_and_words_of_rules_are_complete():
    for rule in rules():
        assert rule.code.startswith("LT") and len(rule.code) == 5
        assert rule.explanation.strip() and rule.limits.strip() and not rule.becomes.endswith(".")
