from legacy_towers.compat import tf


class Record(object):
    pass


def first_values(serialized):
    result = Record()
    result.label = tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]
    return result.label[0]


class Images(object):
    def __init__(self, names, labels):
        dataset = tf.data.Dataset.from_tensor_slices((names, labels))
        dataset = dataset.repeat(3)

        def parse(*queue):
            name, label = queue[0], queue[1] * 2
            return name, label

        dataset = dataset.map(parse)
        self.dataset = dataset

    def dequeue(self, size):
        dataset = self.dataset
        dataset = dataset.batch(size, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)
dataset = dataset.map(first_values)
dataset = dataset.batch(2, drop_remainder=True)
FETCHED = [Images(IMAGES, [1, 2, 3, 4]).dequeue(2), tf.data.make_one_shot_iterator(dataset).get_next()]
