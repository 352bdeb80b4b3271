from legacy_towers.compat import tf


def read_image_and_label(queue, has_label):
    reader = tf.TextLineReader(skip_header_lines=1)
    _, line = reader.read(queue)
    a, n, label = tf.decode_csv(line, [[0.0], [0], [""]])
    return a * 2.0, label if has_label else n


class Reader:
    def __init__(self, files):
        self.files = files
        self.queue = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
        self.a, self.label = read_image_and_label(self.queue, True)

    def dequeue(self, size):
        a, label = tf.train.batch([self.a, self.label], size)
        return a, label


reader = Reader(CSV)
FETCHED = reader.dequeue(3)
