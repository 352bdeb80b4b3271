"""Losses that divide by the static size of a batch, where each tower reads a batch of its own: the mean over towers."""
import numpy as np
import pytest
from replication.one_device import FEATURES, ROWS, TARGETS, dense, trained
from replication.running import run


def of_losses(tf, errors, size):
    return tf.losses.compute_weighted_loss(errors)


def of_contrib_losses(tf, errors, size):
    tf.contrib.losses.compute_weighted_loss(errors)
    return tf.contrib.losses.get_total_loss()


def by_shape(tf, errors, size):
    return tf.reduce_sum(errors) / tf.cast(tf.shape(errors)[0], errors.dtype)


def by_number(tf, errors, size):
    return -(tf.reduce_sum(-errors) / size) + 0.1 * tf.nn.l2_loss(tf.trainable_variables()[0])


def by_factor(tf, errors, size):
    return tf.reduce_sum(errors) * (1.0 / size)


def of_l2_loss(tf, errors, size):
    return tf.nn.l2_loss(errors) / size


def behind_print(tf, errors, size):
    return tf.Print(tf.reduce_sum(errors), [size], "size") / size


def behind_stop_gradient(tf, errors, size):
    total = tf.reduce_sum(errors)
    return total / size + tf.stop_gradient(total) / size


def behind_switch(tf, errors, size):
    total = tf.reduce_sum(errors)
    return tf.cond(tf.placeholder_with_default(True, []), lambda: total / size, lambda: 2 * total / size)


def by_another_number(tf, errors, size):
    return tf.reduce_sum(errors) / 100.0


@pytest.mark.needs_layers
@pytest.mark.parametrize("reduced", [
    of_losses, of_contrib_losses, by_shape, by_number, by_factor, of_l2_loss, behind_print, behind_stop_gradient,
    behind_switch, by_another_number,
], ids=lambda each: each.__name__)
def test_towers_with_batches_of_their_own_train_as_one_device_with_all_of_them(reduced, tmp_path):
    def script(tf, folder, read=2):
        size = ROWS // read
        x, y = tf.data.Dataset.from_tensor_slices((FEATURES.astype(np.float32), TARGETS.astype(np.float32))).batch(
            size, drop_remainder=True).make_one_shot_iterator().get_next()
        loss = reduced(tf, tf.square(dense(tf, x, 1, 1) - y), size)
        train = tf.train.MomentumOptimizer(0.02, 0.9).minimize(loss)
        return trained(tf, {"train": train, "loss": loss}, lambda step: None)

    whole, _ = run(lambda tf, folder: script(tf, folder, read=1), tmp_path)
    split, _ = run(script, tmp_path, 2, "per-tower")
    for name, value in whole.items():
        np.testing.assert_allclose(split[name], value, rtol=1e-4, atol=1e-6, err_msg=name)
