from legacy_towers.compat import tf


def batches(options):
    queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
    _, record = tf.TFRecordReader(options=options).read(queue)
    return tf.train.batch([record], 4)


FETCHED = [batches(None), batches(tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.NONE))]
