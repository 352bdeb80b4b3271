from legacy_towers.compat import tf


def moved(thread, x, n):
    return x + thread % 1, n


n, x = tf.train.slice_input_producer([tf.range(12), tf.range(12) * 3], num_epochs=1, shuffle=False)
FETCHED = tf.train.shuffle_batch_join([moved(i, x, n) for i in range(2)], 4, 10, 2)
