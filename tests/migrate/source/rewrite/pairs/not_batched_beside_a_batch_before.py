from legacy_towers.compat import tf


def parse(queue):
    _, serialized = tf.TFRecordReader().read(queue)
    return tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]


def model(number):
    return 2 * number


def show(files):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    number = parse(queue)
    doubled = model(number)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        shown = [session.run([number, doubled]) for _ in range(3)]
        coordinator.request_stop()
        coordinator.join(threads)
    return shown


def batches(files):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    return tf.train.batch([parse(queue)], 4)


assert show(FILES) == [[0, 0], [1, 2], [2, 4]]
FETCHED = [batches(FILES)]
