from legacy_towers.compat import tf


def parse(serialized):
    features = tf.parse_single_example(
        serialized, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
    return features["x"], features["id"]


def preprocess(x, train, thread):
    if train and thread % 2 == 0:
        return x * 2.0
    return x + x


def batches(files, train, readers, threads=2):
    # Create the queue of names.
    if train:
        dataset = tf.data.Dataset.from_tensor_slices(files)
        dataset = dataset.shuffle(tf.size(files, out_type=tf.int64))
    else:
        dataset = tf.data.Dataset.from_tensor_slices(files)
    most = 8

    # Create several readers that fill the queue of records.
    if readers > 1:
        dataset = dataset.interleave(tf.data.TFRecordDataset, cycle_length=readers)
        if train:
            dataset = dataset.shuffle(most + 4)
    else:
        dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse_example(thread, serialized):
        x, number = parse(serialized)
        x = preprocess(x, train, thread)
        return x, number

    def parse_example_in_turn(number_of_example, serialized):
        # Examples get the numbers that threads had, in turn: one of the functions runs.
        turn = tf.cast(number_of_example % threads, tf.int32)
        return tf.switch_case(turn, [
            lambda thread=thread: parse_example(thread, serialized) for thread in range(threads)
        ])

    dataset = dataset.enumerate().map(parse_example_in_turn, num_parallel_calls=threads)
    dataset = dataset.batch(4, drop_remainder=True)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = batches(FILES, True, 2)
