"""The network of the MNIST tutorial and the reader of the Penn Treebank."""
import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import missing, tree
from legacy_towers.compat.tf1.tutorials import mnist, ptb_reader
from legacy_towers.errors import InputError


def test_network_of_the_tutorial():
    tf.set_random_seed(1)
    images = tf.placeholder(tf.float32, [4, mnist.IMAGE_PIXELS])
    labels = tf.placeholder(tf.int32, [4])
    tf.set_random_seed(1)
    logits = mnist.inference(images, 8, 6)
    loss = mnist.loss(logits, labels)
    train = mnist.training(loss, 0.001)
    correct = mnist.evaluation(logits, labels)
    assert [variable.name for variable in tf.trainable_variables()] == [
        "{}/{}:0".format(layer, name)
        for layer in ("hidden1", "hidden2", "softmax_linear")
        for name in ("weights", "biases")
    ]
    feed = {images: np.random.RandomState(0).rand(4, 784), labels: [1, 2, 3, 1]}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        values = session.run(logits, feed)
        exponents = np.exp(values - values.max(axis=1, keepdims=True))
        chosen = (exponents / exponents.sum(axis=1, keepdims=True))[np.arange(4), [1, 2, 3, 1]]
        np.testing.assert_allclose(session.run(loss, feed), -np.log(chosen).mean(), rtol=1e-5)
        assert session.run(correct, feed) == (values.argmax(axis=1) == [1, 2, 3, 1]).sum()
        before = session.run(loss, feed)
        for _ in range(5):
            session.run(train, feed)
        assert session.run(loss, feed) < before
        assert session.run("global_step:0") == 5


@pytest.fixture
def words(tmp_path):
    texts = {"train": " a b a \n c a b \n", "valid": " b unknown c \n", "test": " a \n"}
    for part, text in texts.items():
        (tmp_path / "ptb.{}.txt".format(part)).write_text(text)
    return str(tmp_path)


def test_ptb_raw_data_returns_word_ids(words):
    train, valid, test, size = ptb_reader.ptb_raw_data(words)
    # "a" occurs three times, <eos> and "b" twice, "c" once.
    assert size == 4
    assert train == [0, 2, 0, 1, 3, 0, 2, 1] and valid == [2, 3, 1] and test == [0, 1]


def test_ptb_iterator_yields_words_and_those_that_follow():
    data = list(range(12))
    pairs = list(ptb_reader.ptb_iterator(data, 2, 2))
    assert [one.tolist() for one, _ in pairs] == [[[0, 1], [6, 7]], [[2, 3], [8, 9]]]
    assert [other.tolist() for _, other in pairs] == [[[1, 2], [7, 8]], [[3, 4], [9, 10]]]
    with pytest.raises(ValueError, match="decrease batch_size or num_steps"):
        next(ptb_reader.ptb_iterator([1, 2], 2, 2))


def test_ptb_producer_gives_the_batches_of_a_queue():
    inputs, targets = ptb_reader.ptb_producer(list(range(12)), 2, 2)
    assert inputs.shape.as_list() == targets.shape.as_list() == [2, 2]
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        pairs = [session.run([inputs, targets]) for _ in range(3)]
        coordinator.request_stop()
        coordinator.join(threads)
    assert [one.tolist() for one, _ in pairs] == [[[0, 1], [6, 7]], [[2, 3], [8, 9]], [[0, 1], [6, 7]]]
    assert pairs[1][1].tolist() == [[3, 4], [9, 10]]
    with pytest.raises(InputError, match="3 words are too few for a batch of 2 x 2"):
        ptb_reader.ptb_producer([1, 2, 3], 2, 2)


def test_the_view_has_the_modules_of_tutorials():
    assert tree.module("tensorflow.examples.tutorials.mnist.mnist").inference is mnist.inference
    assert tree.module("tensorflow.models.rnn.ptb.reader").ptb_raw_data is ptb_reader.ptb_raw_data
    with pytest.raises(missing.MissingModule, match="copy the file of the model into the script's folder"):
        tree.module("tensorflow.models.image.cifar10")
