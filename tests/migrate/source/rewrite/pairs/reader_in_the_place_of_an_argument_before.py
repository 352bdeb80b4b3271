from legacy_towers.compat import tf


def read(files, reader, size):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, serialized = reader.read(queue)
    return tf.train.batch([serialized], size, allow_smaller_final_batch=True)


class Model(object):
    def __init__(self, size, reader=None):
        self.size = size
        self.reader = reader if reader is not None else tf.TFRecordReader()

    def batches(self, files):
        return read(files, self.reader, self.size)


FETCHED = Model(size=3).batches(FILES)
