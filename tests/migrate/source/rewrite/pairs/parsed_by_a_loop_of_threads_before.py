from legacy_towers.compat import tf


def parse(serialized, thread_id):
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
    return features["id"]


def batches(threads):
    queue = tf.train.string_input_producer(FILES, num_epochs=1)
    _, serialized = tf.TFRecordReader().read(queue)
    numbers = []
    for thread_id in range(threads):
        number = parse(serialized, thread_id)
        numbers.append([number, number * 2])
    return tf.train.shuffle_batch_join(numbers, batch_size=5, capacity=20, min_after_dequeue=4,
                                       allow_smaller_final_batch=True)


FETCHED = batches(threads=3)
