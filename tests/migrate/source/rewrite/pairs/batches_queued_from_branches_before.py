from legacy_towers.compat import tf


def inputs(number, shuffles):
    if shuffles:
        numbers, squares = tf.train.shuffle_batch([number, number * number], 4, 20, 10)
    else:
        numbers, squares = tf.train.batch([number, number * number], 4)
    # As the model wants them.
    one_hot = tf.one_hot(numbers, 8)
    queue = tf.contrib.slim.prefetch_queue.prefetch_queue({"x": one_hot, "y": squares})
    return queue.dequeue()


number = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
FETCHED = inputs(number, False)
