from legacy_towers.compat import tf


def input_fn(files, batch_size, epochs):
    features = {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)}
    dataset = tf.data.experimental.make_batched_features_dataset(
        files, batch_size, features, num_epochs=epochs, shuffle=False, shuffle_buffer_size=20 * batch_size)
    return tf.data.make_one_shot_iterator(dataset).get_next()


batch = input_fn(FILES, 4, 2)
FETCHED = [batch["id"], batch["x"]]
