from legacy_towers.compat import tf


def read(queue):
    _, serialized = tf.TFRecordReader().read(queue)
    features = tf.parse_single_example(serialized, {
        "id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
    return features["id"], features["x"]


def batches(examples, size):
    return tf.train.shuffle_batch_join(examples, size, capacity=10, min_after_dequeue=4,
                                       allow_smaller_final_batch=True)


queue = tf.train.string_input_producer(FILES, num_epochs=1)
examples = [read(queue) for _ in range(2)]
numbers, points = batches(examples, 3)
FETCHED = [points, numbers]
