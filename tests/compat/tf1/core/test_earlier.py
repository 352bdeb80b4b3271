"""Names and arguments of TensorFlow 1.4 to 1.14 that 1.15 dropped."""
import numpy as np
import pytest

from legacy_towers.compat.tf1 import earlier_names, missing, refused_arguments, tree
from legacy_towers.compat.tf1.core.earlier import Verbosity

tf = tree.module("tensorflow")
pytestmark = pytest.mark.filterwarnings("ignore")
IMAGE = np.arange(12.0).reshape([3, 4, 1])


def function(x):
    if x > 1:
        x = x * 2
    return x


def shards():
    dataset = tf.data.Dataset.range(7).apply(tf.data.experimental.filter_for_shard(3, 1))
    element = dataset.apply(tf.data.experimental.set_stats_aggregator(None)).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        return [session.run(element) for _ in range(2)]


def graph():
    converted = tf.autograph.to_graph(function, experimental_verbose=tf.autograph.experimental.Verbosity.VERBOSE)
    with tf.Session() as session:
        return session.run([converted(tf.constant(1)), converted(tf.constant(3))])


def cross_entropy():
    loss = tf.nn.softmax_cross_entropy_with_logits_v2(_sentinel=None, labels=[[0.5, 0.5]], logits=[[1.0, 1.0]])
    with tf.Session() as session:
        return [round(float(each), 4) for each in session.run(loss)]


def channel_shift():
    np.random.seed(1)
    one = tf.keras.preprocessing.image.random_channel_shift(IMAGE, intensity=2.0, channel_axis=2)
    np.random.seed(1)
    other = tf.keras.preprocessing.image.random_channel_shift(IMAGE, 2.0, 2)
    return np.array_equal(one, other) and not np.array_equal(one, IMAGE)


def transformed():
    matrix = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    return tf.keras.preprocessing.image.apply_transform(IMAGE, matrix, 2)[:, :, 0].tolist()


def bijected():
    identity = tf.distributions.bijectors.Identity()
    with tf.Session() as session:
        return isinstance(identity, tf.distributions.bijectors.Bijector), session.run(identity.forward([2.0])).tolist()


def enqueued():
    queue = tf.keras.utils.GeneratorEnqueuer(iter([3, 4]), wait_time=0.01)
    queue.start()
    found = next(queue.get())
    queue.stop()
    return found


CASES = {
    "autograph.experimental.Verbosity, autograph.to_graph": (graph, [1, 6]),
    "data.experimental.filter_for_shard, data.experimental.set_stats_aggregator": (shards, [1, 4]),
    "data.experimental.NestedStructure": (lambda: tf.data.experimental.NestedStructure({"a": 1}), {"a": 1}),
    "data.experimental.SparseTensorStructure": (
        lambda: tf.data.experimental.SparseTensorStructure(tf.float32, dense_shape=[2, 3])
        == tf.data.experimental.SparseTensorStructure(tf.float32, [2, 3]), True,
    ),
    "nn.softmax_cross_entropy_with_logits_v2": (cross_entropy, [0.6931]),
    "distributions.bijectors": (bijected, (True, [2.0])),
}
OF_KERAS = {
    "random_channel_shift": (channel_shift, True),
    "flip_axis": (lambda: tf.keras.preprocessing.image.flip_axis(IMAGE, 1)[0, :, 0].tolist(), [3.0, 2.0, 1.0, 0.0]),
    # the mean of two rows, and the last row itself
    "apply_transform": (transformed, [[2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0], [8.0, 9.0, 10.0, 11.0]]),
    "GeneratorEnqueuer": (enqueued, 3),
}


@pytest.mark.parametrize("call, expected", list(CASES.values()), ids=list(CASES))
def test_names_and_arguments_of_earlier_versions(call, expected):
    assert call() == expected


@pytest.mark.needs_layers
@pytest.mark.parametrize("call, expected", list(OF_KERAS.values()), ids=list(OF_KERAS))
def test_names_and_arguments_of_tf_keras(call, expected):
    pytest.importorskip("scipy")
    assert call() == expected


def test_a_positional_argument_of_the_cross_entropy_before_1_13_is_an_error():
    with pytest.raises(ValueError, match="Only call softmax_cross_entropy_with_logits_v2 with named arguments"):
        tf.nn.softmax_cross_entropy_with_logits_v2(_sentinel=[[1.0]], labels=[[1.0]], logits=[[1.0]])


@pytest.mark.needs_layers
def test_all_names_outside_contrib_are_there():
    names = [name for name in earlier_names.names() if not name.startswith("tensorflow.contrib")]
    assert len(names) == 10
    for name in names:
        value = tf
        for part in name.split(".")[1:]:
            value = getattr(value, part)
    assert Verbosity.BRIEF < Verbosity.VERBOSE


@pytest.mark.parametrize("name, argument", sorted(refused_arguments.REFUSED))
def test_a_refused_argument_has_a_sentence(name, argument):
    text = refused_arguments.sentence(name.replace("tensorflow.", "tensorflow.compat.v1."), argument)
    assert text == refused_arguments.sentence(name, argument) or "compat" in text
    assert refused_arguments.of_argument(argument) == [refused_arguments.sentence(name, argument)]
    assert missing.short_name(name) in refused_arguments.sentence(name, argument)
