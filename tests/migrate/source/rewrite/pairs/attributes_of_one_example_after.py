from legacy_towers.compat import tf


class Lines(object):

    def __init__(self, paths, size):
        dataset = tf.data.Dataset.from_tensor_slices(paths)
        dataset = dataset.repeat(2)
        dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))

        def parse(value):
            # The characters of the line.
            length = tf.strings.length(value)
            line = value
            return length, line

        dataset = dataset.map(parse)
        dataset = dataset.batch(size, drop_remainder=True)
        dataset = dataset.prefetch(1)
        self.lengths, self.lines = tf.data.make_one_shot_iterator(dataset).get_next()


lines = Lines(CSV, 3)
FETCHED = [lines.lengths, lines.lines]
