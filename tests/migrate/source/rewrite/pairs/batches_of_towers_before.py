from legacy_towers.compat import tf

slim = tf.contrib.slim


def inputs(batch_size):
    queue = tf.train.string_input_producer(FILES, shuffle=False, num_epochs=1)
    _, serialized = tf.TFRecordReader().read(queue)
    features = tf.parse_single_example(serialized, {
        "id": tf.FixedLenFeature([], tf.int64),
        "x": tf.FixedLenFeature([2], tf.float32),
    })
    ids, xs = tf.train.batch([features["id"], features["x"]], batch_size)
    return ids, xs * 2.


def tower(batch_queue, after):
    with tf.control_dependencies(after):
        # Each tower takes its own batch.
        ids, xs = batch_queue.dequeue()
        return [tf.identity(ids), tf.identity(xs)]


ids, xs = inputs(3)
batch_queue = slim.prefetch_queue.prefetch_queue([ids, xs], capacity=2 * 2)
first = tower(batch_queue, [])
second = tower(batch_queue, first)
FETCHED = first + second
