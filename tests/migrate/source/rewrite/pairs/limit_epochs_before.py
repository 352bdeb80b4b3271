from legacy_towers.compat import tf


def input_fn(points):
    return tf.train.limit_epochs(tf.convert_to_tensor(points, dtype=tf.float32), num_epochs=2)


def next_points(points):
    # All points are one batch.
    batch = tf.train.limit_epochs(tf.constant(points), 3)
    return batch


get = lambda: tf.train.limit_epochs(tf.constant([[1, 2]]), num_epochs=2)  # noqa: E731
FETCHED = [input_fn([[1.0, 2.0], [3.0, 4.0]]), next_points([[5, 6], [7, 8]]), get()]
