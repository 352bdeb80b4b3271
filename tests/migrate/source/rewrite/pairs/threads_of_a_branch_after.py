from legacy_towers.compat import tf


def batches(train, num_threads=2):
    dataset = tf.data.Dataset.from_tensor_slices(tf.range(8))

    def parse(number):
        if not train:
            number = number * 2
            num_threads = 1
        return number

    dataset = dataset.map(parse, num_parallel_calls=num_threads)
    dataset = dataset.batch(4, drop_remainder=True)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = batches(False)
