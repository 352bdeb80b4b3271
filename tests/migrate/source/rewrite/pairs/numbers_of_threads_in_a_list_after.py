from legacy_towers.compat import tf


def moved(thread, x, n):
    return x + thread % 1, n


dataset = tf.data.Dataset.from_tensor_slices((tf.range(12), tf.range(12) * 3))


def parse(i, n, x):
    return moved(i, x, n)


def parse_in_turn(number, record):
    # Examples get the numbers that threads had, in turn: one of the functions runs.
    turn = tf.cast(number % 2, tf.int32)
    return tf.switch_case(turn, [
        lambda i=i: parse(i, *record) for i in range(2)
    ])


dataset = dataset.enumerate().map(parse_in_turn, num_parallel_calls=2)
dataset = dataset.shuffle(10)
dataset = dataset.batch(4, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
