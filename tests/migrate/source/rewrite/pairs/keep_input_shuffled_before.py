from legacy_towers.compat import tf

n = tf.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
FETCHED = tf.train.maybe_shuffle_batch(
    [n], batch_size=3, capacity=8, min_after_dequeue=2, keep_input=n >= 3, num_threads=4)
