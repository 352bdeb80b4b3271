from legacy_towers.compat import tf


def input_fn(points):
    dataset = tf.data.Dataset.from_tensors(tf.convert_to_tensor(points, dtype=tf.float32)).repeat(2)
    return tf.data.make_one_shot_iterator(dataset).get_next()


def next_points(points):
    # All points are one batch.
    dataset = tf.data.Dataset.from_tensors(tf.constant(points)).repeat(3)
    batch = tf.data.make_one_shot_iterator(dataset).get_next()
    return batch


get = lambda: tf.data.make_one_shot_iterator(tf.data.Dataset.from_tensors(tf.constant([[1, 2]])).repeat(2)).get_next()  # noqa: E731
FETCHED = [input_fn([[1.0, 2.0], [3.0, 4.0]]), next_points([[5, 6], [7, 8]]), get()]
