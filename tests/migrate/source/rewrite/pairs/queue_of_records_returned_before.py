from legacy_towers.compat import tf


def prefetch(reader, files, shuffle, capacity, threads=1):
    """Returns the records of files."""
    names = tf.train.string_input_producer(files, num_epochs=1, shuffle=shuffle)
    if shuffle:
        records = tf.RandomShuffleQueue(
            capacity=capacity, min_after_dequeue=int(0.6 * capacity), dtypes=[tf.string], shapes=[[]], name="random")
    else:
        records = tf.FIFOQueue(capacity=capacity, dtypes=[tf.string], shapes=[[]], name="in_order")
    enqueue_ops = []
    for _ in range(threads):
        _, value = reader.read(names)
        enqueue_ops.append(records.enqueue([value]))
    tf.train.add_queue_runner(tf.train.QueueRunner(records, enqueue_ops))
    return records


class Model(object):
    def __init__(self):
        # Reads the records.
        self.reader = tf.TFRecordReader()

    def build(self, shuffle):
        queue = prefetch(self.reader, FILES, shuffle=shuffle, capacity=10, threads=2)
        serialized = queue.dequeue_many(3)
        features = tf.parse_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
        return features["id"]


FETCHED = Model().build(True)
