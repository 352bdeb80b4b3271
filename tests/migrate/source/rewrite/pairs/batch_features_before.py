from legacy_towers.compat import tf


def input_fn(files, batch_size, epochs):
    features = {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)}
    return tf.contrib.learn.read_batch_features(
        file_pattern=files, batch_size=batch_size, features=features, reader=tf.TFRecordReader,
        randomize_input=False, num_epochs=epochs, queue_capacity=20 * batch_size, feature_queue_capacity=4,
        num_enqueue_threads=1)


batch = input_fn(FILES, 4, 2)
FETCHED = [batch["id"], batch["x"]]
