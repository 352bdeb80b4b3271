from legacy_towers.compat import tf


def batches(train, num_threads=2):
    number = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
    if not train:
        number = number * 2
        num_threads = 1
    return tf.train.batch([number], 4, num_threads=num_threads)


FETCHED = batches(False)
