from legacy_towers.compat import tf


def batches(dataset, size, with_header=True):
    dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1 if with_header else 0))

    def parse(line):
        columns = tf.decode_csv(line, [[0.], [0], ['']])
        point = tf.stack([columns[0], tf.cast(columns[1], tf.float32)])
        return point, columns[2]

    dataset = dataset.map(parse)
    dataset = dataset.batch(size, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


def train(size):
    dataset = tf.data.Dataset.from_tensor_slices(CSV)
    dataset = dataset.repeat(3)
    return batches(dataset, size)


def test(size):
    dataset = tf.data.Dataset.from_tensor_slices(CSV[1:])
    dataset = dataset.repeat(4)
    return batches(size=size, dataset=dataset)


FETCHED = [train(3), test(2)]
