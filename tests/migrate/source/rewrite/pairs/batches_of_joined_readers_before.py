from legacy_towers.compat import tf


class Reader(object):
    def __init__(self, name):
        self.name = name

    def prepare(self, queue, size=3):
        _, records = tf.TFRecordReader().read_up_to(queue, size)
        tf.add_to_collection("records", records)
        return self.parse(records)

    def parse(self, records):
        numbers = tf.parse_example(records, {self.name: tf.FixedLenFeature([], tf.int64)})[self.name]
        return numbers, tf.ones_like(numbers)


def training(reader, count):
    queue = tf.train.string_input_producer(FILES, num_epochs=2, shuffle=False)
    examples = [reader.prepare(queue) for _ in range(count)]
    return tf.train.batch_join(examples, 2, enqueue_many=True)


def evaluation(reader):
    queue = tf.train.string_input_producer(FILES[:1], num_epochs=4, shuffle=False)
    numbers, ones = reader.prepare(queue)
    return tf.train.batch([numbers, ones], 4, enqueue_many=True)


reader = Reader("id")
FETCHED = [training(reader, 1), evaluation(reader)]
