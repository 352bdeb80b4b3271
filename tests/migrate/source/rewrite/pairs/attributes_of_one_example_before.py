from legacy_towers.compat import tf


class Lines(object):

    def __init__(self, paths, size):
        queue = tf.train.string_input_producer(paths, shuffle=False, num_epochs=2)
        _, value = tf.TextLineReader(skip_header_lines=1).read(queue)
        # The characters of the line.
        self.length = tf.strings.length(value)
        self.line = value
        self.lengths, self.lines = tf.train.batch([self.length, self.line], size)


lines = Lines(CSV, 3)
FETCHED = [lines.lengths, lines.lines]
