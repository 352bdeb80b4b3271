from legacy_towers.compat import tf


def inputs(files, size):
    queue = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
    _, serialized = tf.TFRecordReader().read(queue)
    number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    return tf.train.batch([number], size)


files = tf.train.match_filenames_once(FOLDER + "/*.tfrecord")
FETCHED = [inputs(files, 5)]
