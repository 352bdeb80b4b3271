from legacy_towers.compat import tf

batch_size = 3
batch = tf.contrib.learn.read_batch_examples(
    FILES, batch_size, tf.TFRecordReader, num_epochs=2, queue_capacity=batch_size * 2.5, num_threads=2,
    parse_fn=lambda record: tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64)}))
FETCHED = batch["id"]
