from legacy_towers.compat import tf


def inputs(dataset, shuffles):
    dataset = dataset.map(lambda number: (number, number * number))
    if shuffles:
        dataset = dataset.shuffle(20)
        dataset = dataset.batch(4, drop_remainder=True)
    else:
        dataset = dataset.batch(4, drop_remainder=True)

    def prepare(numbers, squares):
        # As the model wants them.
        one_hot = tf.one_hot(numbers, 8)
        return {"x": one_hot, "y": squares}

    dataset = dataset.map(prepare)
    dataset = dataset.prefetch(8)
    queue = tf.data.make_one_shot_iterator(dataset)
    return queue.get_next()


dataset = tf.data.Dataset.from_tensor_slices(tf.range(8))
FETCHED = inputs(dataset, False)
