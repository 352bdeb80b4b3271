from legacy_towers.compat import tf


def batches(train):
    dataset = tf.data.Dataset.from_tensor_slices(tf.range(9))

    def parse(number):
        square = number * number
        return tf.ensure_shape(number, []), tf.ensure_shape(square, [])

    dataset = dataset.map(parse)
    if train:
        dataset = dataset.shuffle(6)
    dataset = dataset.batch(2, drop_remainder=True)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = batches(False)
