from legacy_towers.compat import tf


def parse(files):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, serialized = tf.TFRecordReader().read(queue)
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
    return features["id"], features["x"]


def pool(files, size):
    number, values = parse(files)
    found = []
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        threads = tf.train.start_queue_runners(session)
        for _ in range(size):
            one, _ = session.run([number, values])
            found.append(one)
        total = sum(found)
    return found, total


def batches(files):
    number, values = parse(files)
    return tf.train.batch([number, values], 3)


assert pool(FILES, 4) == ([0, 1, 2, 3], 6)
FETCHED = list(batches(FILES))
