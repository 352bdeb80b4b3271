from legacy_towers.compat import tf


class Record(object):
    pass


def first_values(serialized):
    result = Record()
    result.label = tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]
    return result.label[0]


class Images(object):
    def __init__(self, names, labels):
        self.queue = tf.train.slice_input_producer([names, labels], num_epochs=3, shuffle=False)
        self.name, self.label = self.queue[0], self.queue[1] * 2

    def dequeue(self, size):
        return tf.train.batch([self.name, self.label], size)


queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
_, serialized = tf.TFRecordReader().read(queue)
number = first_values(serialized)
FETCHED = [Images(IMAGES, [1, 2, 3, 4]).dequeue(2), tf.train.batch([number], 2)]
