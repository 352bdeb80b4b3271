from legacy_towers.compat import tf

slim = tf.contrib.slim

serialized = slim.parallel_reader.single_pass_read(FOLDER + "/*.tfrecord", tf.TFRecordReader)[1]
example = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
FETCHED = tf.train.batch([example["id"]], 5)
