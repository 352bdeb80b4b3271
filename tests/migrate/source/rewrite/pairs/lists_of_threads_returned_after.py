from legacy_towers.compat import tf


def decoders(files, count):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))

    def parse(line):
        number = tf.decode_csv(line, [[0.], [0], [""]])[1]
        doubled = number * 2
        return number, doubled

    dataset = dataset.map(parse, num_parallel_calls=count)
    return dataset


dataset = decoders(CSV, 2)
dataset = dataset.batch(2, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
