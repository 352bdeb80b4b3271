from legacy_towers.compat import tf


class Reader(object):
    def __init__(self, files):
        self.reader = tf.TFRecordReader()
        self.queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)

    def feed(self):
        _, serialized = self.reader.read(self.queue)
        number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
        return tf.train.batch([number], 2)


def both():
    train = Reader(FILES)
    validation = Reader(FILES[1:] + FILES[:1])
    return [train.feed(), validation.feed()]


def of_each_file():
    found = []
    for name in FILES:
        reader = Reader([name] * 2)
        found.append(reader.feed())
    return found


FETCHED = both() + of_each_file()
