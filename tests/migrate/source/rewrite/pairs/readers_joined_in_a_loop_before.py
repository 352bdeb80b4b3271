from legacy_towers.compat import tf

READERS = 2
queue = tf.train.string_input_producer(FILES, num_epochs=1)
examples = []
for number in range(READERS):
    # Each reader has its own file.
    with tf.name_scope("reader_%d" % number):
        reader = tf.TFRecordReader()
        _, serialized = reader.read(queue)
        features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
        examples.append([features["id"], tf.size(serialized)])
FETCHED = tf.train.shuffle_batch_join(
    examples, batch_size=4, capacity=20, min_after_dequeue=4, allow_smaller_final_batch=True)
