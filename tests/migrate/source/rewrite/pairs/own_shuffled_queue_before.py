from legacy_towers.compat import tf


def inputs(files, batch_size, num_threads=2):
    filename_queue = tf.train.string_input_producer(files, num_epochs=1)
    _, serialized = tf.TFRecordReader().read(filename_queue)
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
    queue = tf.RandomShuffleQueue(30, 10, [tf.int64], shapes=[[]])
    enqueue_op = queue.enqueue(features["id"] + 1)
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue_op] * num_threads))
    return queue.dequeue_many(batch_size)


FETCHED = inputs(FILES, 3)
