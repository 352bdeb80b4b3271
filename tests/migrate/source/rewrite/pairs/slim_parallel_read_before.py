from legacy_towers.compat import tf

slim = tf.contrib.slim

_, serialized = slim.parallel_reader.parallel_read(
    FILES, reader_class=tf.TFRecordReader, num_epochs=2, num_readers=2, shuffle=True, capacity=10,
    min_after_dequeue=2)
example = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
FETCHED = tf.train.batch([example["id"]], 4)
