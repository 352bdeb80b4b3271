from legacy_towers.compat import tf


def read(queue):
    _, serialized = tf.TFRecordReader().read(queue)
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64), "raw": tf.FixedLenFeature([], tf.string)})
    return [tf.decode_raw(features["raw"], tf.uint8), features["id"]]


queue = tf.train.string_input_producer(FILES, num_epochs=1)
FETCHED = tf.train.batch_join([read(queue) for _ in range(2)], 4, shapes=[(3,), ()])
