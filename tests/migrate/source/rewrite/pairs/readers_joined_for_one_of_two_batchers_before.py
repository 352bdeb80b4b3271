from legacy_towers.compat import tf


def example_from(queue):
    _, serialized = tf.TFRecordReader().read(queue)
    parsed = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
    return parsed["id"], tf.size(serialized)


def batches(is_training):
    queue = tf.train.string_input_producer(FILES, shuffle=is_training, num_epochs=2)
    joined = []
    for _ in range(2):
        joined.append(example_from(queue))
    if is_training:
        return tf.train.shuffle_batch_join(joined, 4, capacity=20, min_after_dequeue=4)
    return tf.train.batch_join(joined, 4, allow_smaller_final_batch=True)


FETCHED = batches(True)
