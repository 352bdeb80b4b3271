from legacy_towers.compat import tf

slim = tf.contrib.slim


def inputs(batch_size):
    dataset = tf.data.Dataset.from_tensor_slices(FILES)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(serialized):
        features = tf.parse_single_example(serialized, {
            "id": tf.FixedLenFeature([], tf.int64),
            "x": tf.FixedLenFeature([2], tf.float32),
        })
        return features["id"], features["x"]

    dataset = dataset.map(parse)
    dataset = dataset.batch(batch_size, drop_remainder=True)
    dataset = dataset.map(lambda ids, xs: (ids, xs * 2.))
    return dataset


def tower(batch_queue, after):
    with tf.control_dependencies(after):
        # Each tower takes its own batch.
        ids, xs = batch_queue.get_next()
        return [tf.identity(ids), tf.identity(xs)]


dataset = inputs(3)
dataset = dataset.prefetch(2 * 2)
batch_queue = tf.data.make_one_shot_iterator(dataset)
first = tower(batch_queue, [])
second = tower(batch_queue, first)
FETCHED = first + second
