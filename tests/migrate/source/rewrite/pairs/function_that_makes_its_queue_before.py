from legacy_towers.compat import tf


def read_and_decode(filename):
    filename_queue = tf.train.string_input_producer([filename], num_epochs=1)

    reader = tf.TFRecordReader()
    _, serialized = reader.read(filename_queue)
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64),
                                                    "x": tf.FixedLenFeature([2], tf.float32)})
    x = features["x"]
    return x, features["id"]


x, number = read_and_decode(FILES[0])
x = x * 2.
xs, numbers = tf.train.batch([x, number], batch_size=3)
FETCHED = [xs, numbers]
