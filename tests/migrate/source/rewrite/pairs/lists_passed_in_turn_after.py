from legacy_towers.compat import tf

THREADS = 2


def parse(serialized, thread_id):
    number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    # Both branches compute the same, one after the other and at once.
    return tf.stack([number, number * 2]) if thread_id % 2 else number * tf.constant([1, 2], tf.int64)


def batches(dataset, size):
    dataset = dataset.map(lambda *example: (example[0], tf.reduce_sum(example[1])))
    dataset = dataset.batch(size)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse_example(thread_id, serialized):
    numbers = parse(serialized, thread_id)
    return numbers, numbers + 1


def parse_example_in_turn(number_of_example, serialized):
    # Examples get the numbers that threads had, in turn: one of the functions runs.
    turn = tf.cast(number_of_example % THREADS, tf.int32)
    return tf.switch_case(turn, [
        lambda thread_id=thread_id: parse_example(thread_id, serialized) for thread_id in range(THREADS)
    ])


dataset = dataset.enumerate().map(parse_example_in_turn, num_parallel_calls=THREADS)
FETCHED = batches(size=3, dataset=dataset)
