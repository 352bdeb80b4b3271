from legacy_towers.compat import tf


def prefetch(files, threads):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    return dataset


dataset = prefetch(FILES, 1)


def parse(thread_id, serialized):
    number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    return number + thread_id // 2, tf.range(number)


def parse_in_turn(number_of_example, serialized):
    # Examples get the numbers that threads had, in turn: one of the functions runs.
    turn = tf.cast(number_of_example % 2, tf.int32)
    return tf.switch_case(turn, [
        lambda thread_id=thread_id: parse(thread_id, serialized) for thread_id in range(2)
    ])


dataset = dataset.enumerate().map(parse_in_turn, num_parallel_calls=2)
dataset = dataset.padded_batch(4, tf.data.get_output_shapes(dataset), drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()[0]
