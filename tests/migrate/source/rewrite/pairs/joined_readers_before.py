from legacy_towers.compat import tf


def read(queue):
    reader = tf.TFRecordReader()
    _, serialized = reader.read(queue)
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
    return [features["id"]]


queue = tf.train.string_input_producer(FILES, num_epochs=1)
examples = [read(queue) for _ in range(2)]
FETCHED = [tf.train.shuffle_batch_join(examples, batch_size=4, capacity=20, min_after_dequeue=4)]
