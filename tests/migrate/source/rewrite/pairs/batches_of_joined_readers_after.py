from legacy_towers.compat import tf


class Reader(object):
    def __init__(self, name):
        self.name = name

    def prepare(self, records, size=3):
        return self.parse(records)

    def parse(self, records):
        numbers = tf.parse_example(records, {self.name: tf.FixedLenFeature([], tf.int64)})[self.name]
        return numbers, tf.ones_like(numbers)


def training(reader, count):
    dataset = tf.data.Dataset.from_tensor_slices(FILES)
    dataset = dataset.repeat(2)
    dataset = dataset.interleave(lambda filename: tf.data.TFRecordDataset(filename).batch(3), cycle_length=count)
    dataset = dataset.map(reader.prepare)
    dataset = dataset.unbatch()
    dataset = dataset.batch(2, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


def evaluation(reader):
    dataset = tf.data.Dataset.from_tensor_slices(FILES[:1])
    dataset = dataset.repeat(4)
    dataset = dataset.flat_map(lambda filename: tf.data.TFRecordDataset(filename).batch(3))
    dataset = dataset.map(reader.prepare)
    dataset = dataset.unbatch()
    dataset = dataset.batch(4, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


reader = Reader("id")
FETCHED = [training(reader, 1), evaluation(reader)]
