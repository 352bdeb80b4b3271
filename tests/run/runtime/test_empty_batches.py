"""Convolutions of the empty part of a batch have the shapes, and networks of them the values, of TensorFlow 1.15."""
import numpy as np
import pytest
from run.runtime.prepared import script

from legacy_towers.compat.versions.onednn import uses_onednn
from legacy_towers.run.runtime import empty_feeds


def conv2d(tf, images):
    return tf.nn.conv2d(images, tf.ones([5, 5, 3, 8]), [1, 2, 2, 1], "VALID")


def layer(tf, images):
    return tf.layers.conv2d(images, 8, 3, activation=tf.nn.relu, data_format="channels_last")


def depthwise(tf, images):
    return tf.nn.depthwise_conv2d(images, tf.ones([3, 3, 3, 2]), [1, 1, 1, 1], "SAME")


def separable(tf, images):
    return tf.layers.separable_conv2d(images, 8, 3)


def atrous(tf, images):
    return tf.nn.atrous_conv2d(images, tf.ones([3, 3, 3, 8]), 2, "SAME")


def conv3d(tf, images):
    return tf.nn.conv3d(tf.expand_dims(images, 1), tf.ones([1, 3, 3, 3, 8]), [1, 1, 1, 1, 1], "SAME")[:, 0]


def conv1d(tf, images):
    return tf.nn.conv1d(images[:, 0], tf.ones([3, 3, 8]), 2, "SAME")[:, None]


def slim(tf, images):
    return tf.contrib.slim.conv2d(images, 8, [3, 3], normalizer_fn=tf.contrib.slim.batch_norm)


def pooled(tf, images):
    for _ in range(2):
        hidden = tf.nn.relu(tf.layers.conv2d(images, 8, 3, padding="same"))
        images = tf.nn.dropout(tf.layers.max_pooling2d(hidden, 2, 2, "same"), keep_prob=0.9)
    return images


def averaged(tf, images):
    return tf.layers.average_pooling2d(tf.layers.conv2d(images, 8, 3), 2, 2)


def pooled_3d(tf, images):
    hidden = tf.nn.conv3d(tf.expand_dims(images, 1), tf.get_variable("k", [1, 3, 3, 3, 8]), [1] * 5, "SAME")
    return tf.nn.max_pool3d(hidden, [1, 1, 2, 2, 1], [1, 1, 2, 2, 1], "SAME")[:, 0]


def normalized(tf, images):
    return tf.nn.lrn(tf.layers.conv2d(images, 8, 3, activation=tf.nn.relu))


def normalized_by_batches(tf, images):
    return tf.layers.batch_normalization(tf.layers.conv2d(images, 8, 3), training=False, fused=True)


# (what convolves images [batch, 12, 12, 3], the shape of one image after it)
CASES = [
    (conv2d, (4, 4, 8)), (layer, (10, 10, 8)), (depthwise, (12, 12, 6)), (separable, (10, 10, 8)),
    (pooled, (3, 3, 8)), (averaged, (5, 5, 8)), (pooled_3d, (6, 6, 8)), (normalized, (10, 10, 8)),
    (normalized_by_batches, (10, 10, 8)), (atrous, (12, 12, 8)), (conv3d, (12, 12, 8)),
    (conv1d, (1, 6, 8)), (slim, (12, 12, 8)),
]


@pytest.mark.parametrize("convolve, shape", CASES, ids=[each.__name__ for each, _ in CASES])
def test_an_empty_part_of_a_batch_has_the_shape_of_a_convolution(convolve, shape):
    with script() as (tf, _):
        images = tf.placeholder(tf.float32, [None, 12, 12, 3])
        parts = []
        for tower in range(2):
            with tf.device("/gpu:{}".format(tower)), tf.variable_scope("net", reuse=tower > 0):
                biased = tf.nn.bias_add(convolve(tf, images[2 * tower : 2 * tower + 2]), tf.ones(shape[-1:]))
                parts.append(tf.nn.relu(biased))
        gradients = tf.gradients(tf.reduce_sum(parts[1]), tf.trainable_variables() + [images])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            whole = np.random.RandomState(3).rand(4, 12, 12, 3).astype(np.float32)
            for count in (2, 4, 3, 1):
                found, slopes = session.run([parts, gradients], {images: whole[:count]})
                assert [each.shape for each in found] == [
                    (min(count, 2),) + shape, (max(count - 2, 0),) + shape]
                # The gradient of a depthwise filter is not set on TensorFlow 1.15.
                if count == 2 and convolve not in (depthwise, separable):
                    assert all(not np.any(each) for each in slopes)


def test_towers_train_on_a_short_last_batch():
    """Compares with numpy: the loss is the sum of the products of pixels and one weight, less the targets, squared."""
    images = np.random.RandomState(1).rand(6, 2, 2, 1)
    targets = images.sum((1, 2, 3)) * 2
    weight = 0.0
    with script() as (tf, _):
        fed = tf.placeholder(tf.float64, [None, 2, 2, 1])
        wanted = tf.placeholder(tf.float64, [None])
        kernel = tf.get_variable("w", [1, 1, 1, 1], tf.float64, tf.zeros_initializer())
        losses = []
        for tower in range(3):
            rows = slice(2 * tower, 2 * tower + 2)
            convolved = tf.nn.bias_add(tf.nn.conv2d(fed[rows], kernel, [1, 1, 1, 1], "SAME"), tf.zeros([1], tf.float64))
            out = tf.reduce_sum(convolved, [1, 2, 3])
            losses.append(tf.reduce_sum(tf.square(out - wanted[rows])))
        step = tf.train.GradientDescentOptimizer(0.01).minimize(tf.add_n(losses))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for first, last in ((0, 6), (0, 2), (2, 5)):
                session.run(step, {fed: images[first:last], wanted: targets[first:last]})
                sums = images[first:last].sum((1, 2, 3))
                weight -= 0.01 * 2 * np.sum((weight * sums - targets[first:last]) * sums)
                np.testing.assert_allclose(session.run(kernel).item(), weight, rtol=1e-6)


def test_convolutions_of_whole_batches_are_as_before():
    with script() as (tf, _):
        images = tf.placeholder(tf.float32, [None, 12, 12, 3])
        out = tf.nn.relu(conv2d(tf, images))
        before = len(tf.get_default_graph().get_operations())
        with tf.Session():
            assert out.op.inputs[0].op.type == "Conv2D"
            assert len(tf.get_default_graph().get_operations()) == before


def test_operations_of_a_later_session_are_reshaped_too():
    with script() as (tf, _):
        images = tf.placeholder(tf.float32, [None, 12, 12, 3])
        shapes = []
        for _ in range(2):
            out = tf.nn.relu(conv2d(tf, images[3:]))
            with tf.Session() as session:
                shapes.append(session.run(out, {images: np.zeros([2, 12, 12, 3])}).shape)
        assert shapes == [(0, 4, 4, 8)] * 2


@pytest.mark.parametrize("convolve, shape", CASES, ids=[each.__name__ for each, _ in CASES])
def test_an_empty_feed_has_the_shape_of_a_convolution(convolve, shape):
    with script() as (tf, _):
        images = tf.placeholder(tf.float32, [None, 12, 12, 3])
        out = tf.nn.relu(tf.nn.bias_add(convolve(tf, images), tf.ones(shape[-1:])))
        variables = tf.trainable_variables()
        gradients = tf.gradients(tf.reduce_sum(out), variables + [images])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            before = len(tf.get_default_graph().get_operations())
            for count in (2, 0):
                found, slopes = session.run([out, gradients], {images: np.ones([count, 12, 12, 3])})
                assert found.shape == (count,) + shape
                assert [each.shape for each in slopes[:-1]] == [tuple(each.shape.as_list()) for each in variables]
                assert slopes[-1].shape == (count, 12, 12, 3)
                # The gradient of a depthwise filter is not set on TensorFlow 1.15.
                if not count and convolve not in (depthwise, separable):
                    assert not any(np.any(each) for each in slopes)
            assert len(tf.get_default_graph().get_operations()) == before


def test_training_on_an_empty_feed_counts_the_step_and_changes_no_weight():
    with script() as (tf, _):
        images, labels = tf.placeholder(tf.float32, [None, 12, 12, 3]), tf.placeholder(tf.int64, [None])
        # Without an activation: with relu, initial weights by which all units are off have no gradient.
        hidden = tf.layers.flatten(pooled(tf, tf.layers.conv2d(images, 4, 3)))
        loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.layers.dense(hidden, 3))
        step = tf.train.get_or_create_global_step()
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            weights = [session.run(tf.trainable_variables())]
            for count in (0, 3):
                session.run(train, {"Placeholder:0": np.ones([count, 12, 12, 3]), labels: np.zeros([count], int)})
                weights.append(session.run(tf.trainable_variables()))
            assert session.run(step) == 2
        same = [[np.array_equal(*each) for each in zip(*pair)] for pair in zip(weights, weights[1:])]
        assert all(same[0]) and not any(same[1])


CHANGES = {
    "an assignment": lambda tf: tf.assign_add(tf.get_variable("count", [], initializer=tf.zeros_initializer()), 1.0),
    "a resource": lambda tf: tf.get_variable(
        "count", [], initializer=tf.zeros_initializer(), use_resource=True).assign_add(1.0),
    "a random number": lambda tf: tf.random_normal([2]),
    "Python": lambda tf: tf.py_func(lambda: np.float32(1), [], tf.float32),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_convolution_that_changes_state_runs_with_an_empty_feed_too(name):
    with script() as (tf, _):
        images = tf.placeholder(tf.float32, [None, 12, 12, 3])
        with tf.control_dependencies([CHANGES[name](tf)]):
            conv2d(tf, tf.identity(images))
        conv2d(tf, images)
        found = empty_feeds.empty_results(tf.get_default_graph(), {images: (0, 12, 12, 3)})
        assert {each: value.shape for each, value in found.items()} == {"Conv2D_1:0": (0, 4, 4, 8)}
        assert empty_feeds.empty_results(tf.get_default_graph(), {images: (1, 12, 12, 3)}) == {}


def test_the_error_of_an_empty_feed_names_it_and_says_what_to_do(capsys):
    with script() as (tf, _):
        images = tf.placeholder(tf.float32, [None, 12, 12, 3], "images")
        with tf.control_dependencies([tf.random_normal([2])]):
            out = conv2d(tf, tf.identity(images)) + tf.ones([1, 4, 4, 8])
        other = tf.reshape(out, tf.placeholder_with_default([7], [1]))
        with tf.Session() as session:
            try:
                assert session.run(out, {images: np.zeros([0, 12, 12, 3])}).shape == (0, 4, 4, 8)  # without oneDNN
                assert not uses_onednn()
            except tf.errors.InvalidArgumentError:
                assert "'images:0' is fed an empty batch" in capsys.readouterr().err
                assert uses_onednn()
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(other, {images: np.zeros([1, 12, 12, 3])})
    assert "empty batch" not in capsys.readouterr().err


def test_a_network_of_pooled_convolutions_has_gradients_of_an_empty_part():
    with script() as (tf, _):
        images = tf.placeholder(tf.float32, [None, 28, 28, 1])
        hidden = images[2:]
        for _ in range(3):
            hidden = tf.nn.relu(tf.layers.conv2d(hidden, 8, 3, padding="same"))
            hidden = tf.nn.dropout(tf.layers.max_pooling2d(hidden, 2, 2, "same"), keep_prob=0.9)
        loss = tf.reduce_sum(tf.layers.dense(tf.layers.flatten(hidden), 10))
        gradients = tf.gradients(loss, tf.trainable_variables())
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for count in (3, 2):
                slopes = session.run(gradients, {images: np.random.rand(count, 28, 28, 1)})
                assert any(np.any(each) for each in slopes) == (count > 2)
