from legacy_towers.compat import tf


def read(queue, factor):
    reader = tf.TFRecordReader()
    _, serialized = reader.read(queue)
    number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    return number, number * factor


def batches(factor, queue, size):
    number, multiple = read(queue, factor)
    numbers, multiples = tf.train.batch([number, multiple], size)
    return numbers, multiples


train = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
test = tf.train.string_input_producer(FILES[:1], num_epochs=1, shuffle=False)
FETCHED = [batches(2, train, 3), batches(3, test, size=2)]
