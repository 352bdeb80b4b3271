from legacy_towers.compat import tf


def parse(serialized):
    features = tf.parse_single_example(
        serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
    return features["x"], features["id"]


def preprocess(x, train, thread):
    if train and thread % 2 == 0:
        return x * 2.0
    return x + x


def batches(files, train, readers, threads=2):
    # Create the queue of names.
    if train:
        names = tf.train.string_input_producer(files, num_epochs=1, capacity=16)
    else:
        names = tf.train.string_input_producer(files, num_epochs=1, shuffle=False, capacity=1)
    most = 8
    if train:
        records = tf.RandomShuffleQueue(capacity=most + 4, min_after_dequeue=most, dtypes=[tf.string])
    else:
        records = tf.FIFOQueue(capacity=most, dtypes=[tf.string])

    # Create several readers that fill the queue of records.
    if readers > 1:
        enqueue_ops = []
        for _ in range(readers):
            reader = tf.TFRecordReader()
            _, value = reader.read(names)
            enqueue_ops.append(records.enqueue([value]))

        tf.train.queue_runner.add_queue_runner(tf.train.queue_runner.QueueRunner(records, enqueue_ops))
        serialized = records.dequeue()
    else:
        reader = tf.TFRecordReader()
        _, serialized = reader.read(names)

    examples = []
    for thread in range(threads):
        x, number = parse(serialized)
        x = preprocess(x, train, thread)
        examples.append([x, number])
    return tf.train.batch_join(examples, batch_size=4, capacity=2 * threads * 4)


FETCHED = batches(FILES, True, 2)
