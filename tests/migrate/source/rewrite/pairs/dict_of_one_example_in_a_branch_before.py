from legacy_towers.compat import tf


def read(queue):
    _, serialized = tf.TFRecordReader().read(queue)
    features = {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)}
    features = tf.parse_single_example(serialized, features)
    x = features["x"] * 2
    return {"x": x, "id": features["id"]}


def inputs(batches):
    data = read(tf.train.string_input_producer(FILES[:1], num_epochs=1, shuffle=False))
    if batches:
        xs, numbers = tf.train.batch([data["x"], data["id"]], 1)
        return xs, numbers
    else:
        return tf.expand_dims(data["x"], 0), tf.expand_dims(data["id"], 0)


FETCHED = inputs(True) + inputs(False)
