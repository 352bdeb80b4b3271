"""What the checks of queues find, and what they leave alone."""
import pytest
from doctor import diagnosed

from legacy_towers.compat import tf

FILES = """
import os, tempfile
folder = tempfile.mkdtemp()
names = [os.path.join(folder, name) for name in "abc"]
for name in names:
    with open(name, "w") as file:
        file.write("1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n" * 2)
"""
READ = FILES + """
queue = tf.train.string_input_producer(names, shuffle={shuffle}, num_epochs={epochs})
_, value = tf.{reader}().read(queue)
is_line = "{reader}" == "TextLineReader"
number = tf.string_to_number(value) if is_line else tf.to_float(tf.size(tf.string_split([value])))
"""


def read(shuffle=False, epochs=None, reader="TextLineReader"):
    return READ.format(shuffle=shuffle, epochs=epochs, reader=reader)


PNG = FILES + """
pixels = tf.image.encode_png(tf.zeros([2, 2, 3], tf.uint8))
queue = tf.train.input_producer(tf.stack([pixels] * 3), shuffle=False)
image = tf.to_float(tf.image.decode_png(queue.dequeue(), channels=3))
image.set_shape([2, 2, 3])
steps(train(tf.train.batch([image], 2, num_threads={})))
"""
NUMBER = "number = tf.to_float(tf.train.range_input_producer(100, shuffle={}).dequeue())\n"
STAGE = """
from tensorflow.python.ops import data_flow_ops
area = data_flow_ops.StagingArea([tf.float32], shapes=[[2]])
"""

# One reader of two queues of files, or of one.
SHARED = FILES + """
queues = [tf.train.string_input_producer(each, shuffle=False) for each in ({first}, {second})]
reader, other = {reader}(), {reader}()
{reset}
lines = [each.read(queue)[1] for each, queue in zip((reader, {of_second}), queues)]
one, two = [tf.train.batch([tf.string_to_number(tf.substr(line, 0, 1))], 4) for line in lines]
"""


def shared(first="names[:1]", second="names[1:]", reader="tf.TextLineReader", of_second="reader", reset=""):
    return SHARED.format(first=first, second=second, reader=reader, of_second=of_second, reset=reset)


# Source -> the codes that it must give.
MUST_GIVE = {
    "shuffle_batch with min_after_dequeue 1": (
        NUMBER.format(False) + "steps(train(tf.train.shuffle_batch([number], 8, 32, min_after_dequeue=1)))", ["LD301"]
    ),
    "RandomShuffleQueue of a reader": (
        read() + "steps(train(tf.train.shuffle_batch([number], 4, 32, min_after_dequeue=3)))", ["LD301"]
    ),
    "capacity below a batch": (
        NUMBER.format(False) + "steps(train(tf.train.batch([number], 8, capacity=4)))", ["LD302"]
    ),
    "one thread decodes": (PNG.format(1), ["LD303"]),
    "num_epochs without local initializer": (
        read(epochs=1) + """
try:
    steps(train(tf.train.batch([number], 4)), local=False)
except (tf.errors.OutOfRangeError, tf.errors.FailedPreconditionError):
    pass
""", ["LD304"],
    ),
    "a queue that nothing fills": (
        "empty = tf.FIFOQueue(5, [tf.float32], [[]]).dequeue()\nsteps(w)", ["LD305"]
    ),
    "queue runners that are not started": (
        NUMBER.format(False) + """
op = train(tf.train.batch([number], 4))
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer()])
    try:
        sess.run(op, options=tf.RunOptions(timeout_in_ms=200))
    except tf.errors.DeadlineExceededError:
        pass
""", ["LD306"],
    ),
    "start_queue_runners without a coordinator": (
        NUMBER.format(False) + "steps(train(tf.train.batch([number], 4)), coord=None)", ["LD307"]
    ),
    "only the names are shuffled": (
        read(shuffle=True) + "steps(train(tf.train.batch([number], 4)))", ["LD308"]
    ),
    "one reader of the files of two queues": (shared() + "steps(train(one)), two", ["LD310"]),
    "one reader of two queues, whose names are shuffled": (
        shared().replace("shuffle=False", "shuffle=True") + "steps(train(tf.concat([one, two], 0)))",
        ["LD308", "LD310"],
    ),
    "a staging area that is not filled": (STAGE + "area.get()\nsteps(w)", ["LD309"]),
    "a staging area that is not drained": (STAGE + "steps(area.put([tf.zeros([2])]))", ["LD309"]),
}
MUST_NOT_GIVE = {
    "shuffle_batch with min_after_dequeue of many batches": (
        read() + "steps(train(tf.train.shuffle_batch([number], 2, 40, min_after_dequeue=20)))"
    ),
    "shuffle_batch after a producer that shuffles examples": (
        NUMBER.format(True) + "steps(train(tf.train.shuffle_batch([number], 8, 32, min_after_dequeue=1)))"
    ),
    "single examples from a shuffling queue": """
        queue = tf.RandomShuffleQueue(20, 10, [tf.float32], [[]])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue_many([tf.zeros([5])])]))
        steps(train(queue.dequeue()))
    """,
    "capacity of a batch": NUMBER.format(False) + "steps(train(tf.train.batch([number], 8, capacity=8)))",
    "two threads decode": PNG.format(2),
    "one thread decodes for a run without training": PNG.format(1).replace("steps(train(", "steps(tf.reduce_sum("),
    "num_epochs with local initializer": read(epochs=2) + "steps(train(tf.train.batch([number], 4)))",
    "num_epochs in a MonitoredTrainingSession": read(epochs=2) + """
op = train(tf.train.batch([number], 4))
with tf.train.MonitoredTrainingSession() as sess:
    for _ in range(3):
        sess.run(op)
""",
    "a queue that another process fills": (
        "tf.FIFOQueue(5, [tf.float32], [[]], shared_name='remote').dequeue()\nsteps(w)"
    ),
    "a queue that a run of the script fills": """
        queue = tf.FIFOQueue(5, [tf.float32], [[]])
        put, taken = queue.enqueue([1.0]), queue.dequeue()
        with tf.Session() as sess:
            sess.run(put)
            sess.run(taken)
    """,
    "names and examples are shuffled": (
        read(shuffle=True) + "steps(train(tf.train.shuffle_batch([number], 2, 40, min_after_dequeue=20)))"
    ),
    "names in their order": read() + "steps(train(tf.train.batch([number], 4)))",
    "whole files by shuffled names": (
        read(shuffle=True, reader="WholeFileReader") + "steps(train(tf.train.batch([number], 2)))"
    ),
    "shuffled names before a PriorityQueue": read(shuffle=True) + """
ordered = tf.PriorityQueue(20, [tf.string], [[]])
tf.train.add_queue_runner(tf.train.QueueRunner(ordered, [ordered.enqueue([tf.to_int64(number), value])]))
steps(train(tf.train.batch([tf.string_to_number(ordered.dequeue()[1])], 4)))
""",
    "shuffled names for a run without training": (
        read(shuffle=True) + "steps(tf.reduce_sum(tf.train.batch([number], 4)))"
    ),
    "a reader for each queue": shared(of_second="other") + "steps(train(one)), two",
    "one reader of two queues of the same files": shared(second="names[:1]") + "steps(train(one)), two",
    "one reader of two queues, which is reset": shared(reset="reader.reset()") + "steps(train(one)), two",
    "one WholeFileReader of two queues": shared(reader="tf.WholeFileReader") + "steps(train(one)), two",
    "one reader whose second queue no thread reads": shared().replace("zip(", "list(zip(").replace(
        "queues)]", "queues))[:1]]").replace("one, two =", "one, =") + "reader.read(queues[1])\nsteps(train(one))",
    "one reader that reads from one queue by several threads": shared().replace(
        "(reader, reader), queues", "(reader, reader), queues[:1] * 2") + "steps(train(one)), two",
    "a staging area that is filled and drained": STAGE + """
put, taken = area.put([tf.zeros([2])]), area.get()
with tf.Session() as sess:
    sess.run(put)
    sess.run([put, taken])
""",
}


# Threads without a coordinator end with an exception when the session closes.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("name", MUST_GIVE)
def test_checks_of_queues_that_must_find_something(name):
    source, expected = MUST_GIVE[name]
    assert diagnosed.codes(source) == expected


@pytest.mark.parametrize("name", MUST_NOT_GIVE)
def test_checks_of_queues_that_must_find_nothing(name):
    assert diagnosed.codes(MUST_NOT_GIVE[name]) == []


def test_evidence_names_the_operation_the_line_and_the_figures():
    source = NUMBER.format(False) + "batch = tf.train.batch([number], 8, capacity=4)\nsteps(train(batch))"
    (found,) = diagnosed.findings(source)
    assert found.evidence.operation == "batch/fifo_queue"
    assert "examined.py, line {}: ".format(diagnosed.line_of(source, "capacity=4")) in found.evidence.line
    assert found.evidence.message == "its capacity is 4 and the batch size is 8: nothing is read ahead"


@pytest.mark.parametrize("kind", ["FIFOQueue", "PaddingFIFOQueue", "RandomShuffleQueue"])
def test_a_batch_above_the_capacity_is_dequeued_all_the_same(kind):
    # As the explanation of LD302 claims.
    arguments = (4, 2) if kind == "RandomShuffleQueue" else (4,)
    queue = getattr(tf, kind)(*arguments, dtypes=[tf.int32], shapes=[[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([3])]))
    taken = queue.dequeue_many(9)
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert session.run(taken, options=tf.RunOptions(timeout_in_ms=60000)).tolist() == [3] * 9
        coordinator.request_stop()
        session.run(queue.close(cancel_pending_enqueues=True))
        coordinator.join(threads)
