from legacy_towers.compat import tf


def examples(files, is_training, size):
    names = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, record = tf.TFRecordReader().read(names)
    features = tf.parse_single_example(
        record, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
    number = tf.reshape(features["id"], [1])
    pair = tf.expand_dims(features["x"], 0)
    if is_training:
        (number, pair) = tf.train.shuffle_batch(
            [number, pair], batch_size=size, capacity=20, min_after_dequeue=4, enqueue_many=True)
    elif size > 1:
        with tf.name_scope("batch"):
            (number, pair) = tf.train.batch([number, pair], batch_size=size, capacity=20, enqueue_many=True)
    number.set_shape([size])
    return {"number": number, "pair": pair}


FETCHED = examples(FILES, False, 3), examples(FILES, False, 1)
