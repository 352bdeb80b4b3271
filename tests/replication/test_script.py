"""`run --towers N`: batch norm, batches of its own for each tower, evaluations, plans."""
import os

import numpy as np
import pytest
from replication.one_device import (
    FEATURES,
    IMAGES,
    LABELS,
    ROWS,
    STEPS,
    TARGETS,
    dataset,
    dense,
    rows,
    trained,
    variables,
)
from replication.running import run


@pytest.mark.needs_layers
def test_batch_norm_by_tower_is_announced_and_its_averages_are_updated_once(tmp_path):
    def script(tf, folder):
        x = tf.placeholder(tf.float32, [None, 6, 6, 1])
        y = tf.placeholder(tf.int32, [None])
        training = tf.placeholder(tf.bool)
        net = tf.layers.batch_normalization(x, training=training, momentum=0.5)
        net = tf.layers.batch_normalization(dense(tf, tf.layers.flatten(net), 4, 1), training=training, momentum=0.5)
        loss = tf.losses.sparse_softmax_cross_entropy(labels=y, logits=dense(tf, net, 3, 2))
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        return trained(tf, {"train": train, "loss": loss}, steps=1, feeds=lambda step: {
            x: IMAGES[rows(step)], y: LABELS[rows(step)], training: True}, evaluation=(
                loss, {x: IMAGES, y: LABELS, training: False}))

    one, _ = run(script, tmp_path)
    two, lines = run(script, tmp_path, 2)
    assert any("each tower normalizes by the statistics of its own examples" in line for line in lines), lines
    assert any("compared with one device" in line for line in lines)
    assert "'Placeholder' ({}:".format(os.path.relpath(__file__)) in lines[0]
    assert "'Placeholder_1' ({}:".format(os.path.relpath(__file__)) in lines[0]
    moving = [name for name in one if name.endswith("batch_normalization/moving_mean")]
    assert moving and not np.allclose(one[moving[0]], 0)
    np.testing.assert_allclose(two[moving[0]], one[moving[0]], rtol=1e-5)
    np.testing.assert_allclose(two["loss"], one["loss"], rtol=0.2)
    assert np.isfinite(two["evaluated"])


@pytest.mark.needs_layers
def test_keep_per_tower_reads_a_batch_for_each_tower(tmp_path):
    def script(tf, folder, read=2):
        x, y = tf.data.Dataset.from_tensor_slices((FEATURES, TARGETS)).batch(
            ROWS // read, drop_remainder=True).make_one_shot_iterator().get_next()
        loss = tf.reduce_mean(tf.square(dense(tf, x, 1, 1) - y))
        train = tf.train.AdamOptimizer(0.1).minimize(loss)
        return trained(tf, {"train": train, "loss": loss, "x": x}, lambda step: None)

    whole, _ = run(lambda tf, folder: script(tf, folder, read=1), tmp_path)
    split, lines = run(script, tmp_path, 2, "per-tower")
    assert "each tower reads its own 'IteratorGetNext': 2 times the batch" in lines[0]
    assert "compared with one device on the first batch, which each tower got for this: " in lines[-1]
    for name, value in whole.items():
        if name == "x":  # read by the towers in any order
            assert [sorted(each[:, 0]) for each in value] == [sorted(each[:, 0]) for each in split["x"]]
        else:
            np.testing.assert_allclose(split[name], value, rtol=1e-9, err_msg=name)


@pytest.mark.needs_layers
def test_keep_per_tower_dequeues_for_each_tower_and_names_shared_random_numbers(tmp_path):
    def script(tf, folder):
        x, y = tf.train.slice_input_producer([tf.constant(FEATURES), tf.constant(TARGETS)], shuffle=False)
        x, y = tf.train.batch([x, y], 6)
        mask = tf.nn.dropout(tf.ones_like(x), keep_prob=0.5, seed=1)
        loss = tf.reduce_sum(tf.square(dense(tf, x * mask, 1, 1) - y))
        train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            seen = [session.run([train, loss, x])[1:] for _ in range(STEPS)]
            coordinator.request_stop()
            coordinator.join(threads)
            return dict(variables(tf, session), loss=[each[0] for each in seen], x=[each[1] for each in seen])

    two, lines = run(script, tmp_path, 2, "per-tower")
    assert [each.shape for each in two["x"]] == [(12, 5)] * STEPS
    read = np.concatenate(two["x"])
    assert sorted(map(tuple, read)) == sorted(map(tuple, FEATURES))
    assert any("the sum over towers, since the loss is a sum over examples; with 2 times the batch" in line
               for line in lines)
    assert any("all towers use the same random numbers" in line for line in lines), lines
    assert any("compared with one device" in line for line in lines)


@pytest.mark.needs_layers
def test_a_callable_of_a_training_step_trains_on_towers(tmp_path):
    def script(tf, folder):
        x, y = dataset(tf).make_one_shot_iterator().get_next()
        loss = tf.reduce_mean(tf.square(dense(tf, x, 1, 1) - y))
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            call = session.make_callable([train, loss])
            losses = [call()[1] for _ in range(3)]
            return dict(variables(tf, session), losses=losses)

    one, _ = run(script, tmp_path)
    two, _ = run(script, tmp_path, 2)
    for name in one:
        np.testing.assert_allclose(two[name], one[name], rtol=1e-9)


@pytest.mark.needs_layers
def test_a_checkpoint_of_towers_restores_on_one_device(tmp_path):
    def script(tf, folder):
        x, y = dataset(tf).make_one_shot_iterator().get_next()
        loss = tf.reduce_mean(tf.square(dense(tf, x, 1, 1) - y))
        train = tf.train.AdamOptimizer(0.1).minimize(loss)
        saver = tf.train.Saver()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
            return saver.save(session, os.path.join(folder, "model"))

    def names(path):
        from legacy_towers.compat import tf

        return tf.train.load_checkpoint(path).get_variable_to_shape_map()

    for folder in ("one", "two"):
        os.makedirs(str(tmp_path / folder))
    one, _ = run(script, tmp_path / "one")
    two, _ = run(script, tmp_path / "two", 2)
    assert names(one) == names(two)


def test_a_script_that_trains_nothing_is_reported():
    lines = []
    with pytest.raises(AssertionError, match="nothing was replicated"):
        run(lambda tf, _: tf.Session().run(tf.constant(1)), "", 2, lines=lines)
    assert lines == ["--towers: no session run of the script changed a variable by a gradient: nothing was replicated"]
