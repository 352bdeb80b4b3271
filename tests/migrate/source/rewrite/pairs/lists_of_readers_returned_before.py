from legacy_towers.compat import tf


def read(queue):
    _, record = tf.TFRecordReader().read(queue)
    features = tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64)})
    return features["id"], features["id"] + 1


def readers(files, count):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    return [read(queue) for _ in range(count)]


def batches(files):
    examples = readers(files, 2)
    numbers, others = tf.train.shuffle_batch_join(examples, 4, capacity=12, min_after_dequeue=2)
    return numbers, others


FETCHED = batches(FILES)
