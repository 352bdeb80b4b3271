"""What the checks of labels, seeds, orders and validation batches find, and what they leave alone."""
import pytest
from doctor import diagnosed
from doctor.checks.tower_scripts import script

LABELS = "labels = tf.cast(tf.train.input_producer(tf.range(24), shuffle=False).dequeue_many({}), tf.int32) % 2"
CROSS_ENTROPY = """tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels={}, logits=tf.concat([model(x), -model(x)], 1)))"""
LABELLED = dict(variables="""fc = tf.get_variable("fc", [2, 1])
    tf.get_variable_scope().reuse_variables()
    bias = 0.0""")
BOTH = "tf.split(labels, towers)[i]"
SQUARES = "tf.reduce_mean(tf.square(model({}) - 1.0))"
DROPOUT = "tf.reduce_mean(tf.square(model(tf.nn.dropout(x, 0.5, seed={})) - 1.0))"
WHOLE = "whole = tf.train.input_producer(data, shuffle=False, capacity=24).dequeue_many(12)"
LABELS_FED = "labels = tf.placeholder_with_default(np.zeros([4], np.int32), [None])"

QUEUE = """
queue = tf.train.input_producer(tf.ones([8, 1]), shuffle=False)
op = train(queue.dequeue_many(2))
{before}
{name} = {read}
loss = tf.reduce_mean(tf.matmul(tf.reshape({name}, [-1, 1]), w))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    threads = tf.train.start_queue_runners(sess, coord)
    sess.run(op)
    sess.run({fetches})
    coord.request_stop()
    coord.join(threads)
"""
ITERATOR = """
def iterator_of(dataset):
    make = getattr(tf.data, "make_{kind}_iterator", None)
    return make(dataset) if make else dataset.make_{kind}_iterator()
data = tf.data.Dataset.from_tensor_slices(np.ones([8, 1], np.float32)).repeat().batch(2)
iterator = iterator_of(data)
op = train(iterator.get_next())
with tf.name_scope("{scope}"):
    loss = tf.reduce_mean(tf.matmul({read}, w))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    {initialize}
    for _ in range(3):
        sess.run(op)
    sess.run(loss)
"""


def queue(name="val_batch", read="queue.dequeue_many(2)", fetches="loss", before=""):
    return QUEUE.format(name=name, read=read, fetches=fetches, before=before)


def iterator(kind="one_shot", scope="validation", read="iterator.get_next()", initialize="pass"):
    return ITERATOR.format(kind=kind, scope=scope, read=read, initialize=initialize)


FOUND = {
    "labels of one dequeue with images that are split": (
        "LD102", script(before=LABELS.format(4), loss=CROSS_ENTROPY.format("labels"), **LABELLED)),
    "labels of unknown number": (
        "LD102", script(before=LABELS_FED, loss=CROSS_ENTROPY.format("labels"), **LABELLED)),
    "dropout with one seed": ("LD103", script(loss=DROPOUT.format(1))),
    "a dequeue for validation from the training queue": ("LD104", queue()),
    "a batch for validation of the training iterator": ("LD104", iterator()),
    "a batch for validation of an iterator with one initializer": (
        "LD104", iterator("initializable", initialize="sess.run(iterator.initializer)")),
    "each tower shuffles the batch": (
        "LD105", script(before=WHOLE, loss=SQUARES.format("tf.random_shuffle(whole)"))),
    "each tower rolls the batch": ("LD105", script(before=WHOLE, loss=SQUARES.format("tf.roll(whole, i, 0)"))),
    "towers reverse the batch": (
        "LD105", script(before=WHOLE, loss=SQUARES.format("tf.reverse(whole, [0]) if i else whole"))),
    "each tower gathers all rows in its own order": (
        "LD105", script(before=WHOLE, loss=SQUARES.format("tf.gather(whole, (np.arange(12) + i) % 12)"))),
}
NOT_FOUND = {
    "labels and images are split": script(
        before=LABELS.format(12), loss=CROSS_ENTROPY.format(BOTH), **LABELLED),
    "labels are split by slices": script(
        before=LABELS.format(12), loss=CROSS_ENTROPY.format("labels[4 * i:4 * i + 4]"), **LABELLED),
    "constant labels": script(loss=CROSS_ENTROPY.format("tf.zeros([4], tf.int32)"), **LABELLED),
    "dropout with the seed of the graph": script(before="tf.set_random_seed(1)", loss=DROPOUT.format(None)),
    "dropout with a seed for each tower": script(loss=DROPOUT.format("i")),
    "initializers with one seed": script(
        variables="""fc = tf.get_variable("fc", [2, 1], initializer=tf.random_normal_initializer(seed=1))
    bias = tf.get_variable("bias", [1])"""),
    "noise for all towers": script(
        before="noise = tf.random_normal([4, 2], seed=1)", loss=SQUARES.format("x + noise")),
    "each tower shuffles its part": script(loss=SQUARES.format("tf.random_shuffle(x)")),
    "parts of a shuffled batch": script(
        before=WHOLE + "\nwhole = tf.random_shuffle(whole)", loss=SQUARES.format("tf.split(whole, towers)[i]")),
    "each tower gathers other rows": script(
        before=WHOLE, loss=SQUARES.format("tf.gather(whole, np.arange(4) + 4 * i)")),
    "columns in another order": script(loss=SQUARES.format("tf.reverse(x, [1])")),
    "a second dequeue for training": queue(fetches="train(val_batch)"),
    "a second dequeue to look at": queue("batch"),
    "a queue for validation": queue(
        before="val_queue = tf.train.input_producer(tf.ones([8, 1]), shuffle=False)",
        read="val_queue.dequeue_many(2)"),
    "an iterator for validation": iterator(read="iterator_of(data.skip(1)).get_next()"),
    "an iterator that is initialized for each set": iterator(
        "initializable",
        initialize="sess.run([iterator.initializer]); both = tf.data.Iterator.from_structure; sess.run(iterator."
                   "make_initializer(data.skip(1)))"),
}


@pytest.mark.parametrize("code, source", FOUND.values(), ids=FOUND.keys())
def test_wrong_inputs_of_towers_are_found(code, source):
    assert diagnosed.codes(source) == [code]


@pytest.mark.parametrize("source", NOT_FOUND.values(), ids=NOT_FOUND.keys())
def test_correct_inputs_of_towers_give_no_finding(source):
    assert diagnosed.codes(source) == []
