from legacy_towers.compat import tf


def build_input(files, batch_size, mode):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, value = tf.TFRecordReader().read(queue)

    # Convert these examples.
    features = tf.parse_single_example(
        value, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
    image = features["x"]
    label = tf.cast(features["id"], tf.int32)

    if mode == "train":
        image = image * 2.0
        # Brightness is not changed.
        image = tf.reshape(image, [1, 2])

        example_queue = tf.RandomShuffleQueue(
            capacity=4 * batch_size, min_after_dequeue=2 * batch_size, dtypes=[tf.float32, tf.int32],
            shapes=[[1, 2], []])
        num_threads = 4
    else:
        image = tf.reshape(image, [1, 2])

        example_queue = tf.FIFOQueue(3 * batch_size, dtypes=[tf.float32, tf.int32], shapes=[[1, 2], []])
        num_threads = 1

    example_enqueue_op = example_queue.enqueue([image, label])
    tf.train.add_queue_runner(tf.train.queue_runner.QueueRunner(example_queue, [example_enqueue_op] * num_threads))

    # Read 'batch' labels + images from the example queue.
    images, labels = example_queue.dequeue_many(batch_size)
    labels = tf.reshape(labels, [batch_size, 1])
    return images, labels


FETCHED = build_input(FILES, 3, "train")
