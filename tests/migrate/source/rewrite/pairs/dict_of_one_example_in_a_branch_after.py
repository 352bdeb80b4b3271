from legacy_towers.compat import tf


def read(serialized):
    features = {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)}
    features = tf.parse_single_example(serialized, features)
    x = features["x"] * 2
    return {"x": x, "id": features["id"]}


def inputs(batches):
    dataset = tf.data.Dataset.from_tensor_slices(FILES[:1])
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    dataset = dataset.map(read)
    if batches:
        dataset = dataset.map(lambda data: (data["x"], data["id"]))
        dataset = dataset.batch(1, drop_remainder=True)
        xs, numbers = tf.data.make_one_shot_iterator(dataset).get_next()
        return xs, numbers
    else:
        data = tf.data.make_one_shot_iterator(dataset).get_next()
        return tf.expand_dims(data["x"], 0), tf.expand_dims(data["id"], 0)


FETCHED = inputs(True) + inputs(False)
