from legacy_towers.compat import tf


def read(files):
    names = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, records = tf.TFRecordReader().read_up_to(names, 5)
    return tf.parse_example(records, {"id": tf.FixedLenFeature([], tf.int64)})["id"]


ids = read(FILES)
FETCHED = tf.train.batch([ids], 4, enqueue_many=True)
