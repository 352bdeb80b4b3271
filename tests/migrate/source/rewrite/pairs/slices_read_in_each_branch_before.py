from legacy_towers.compat import tf


class Loader:
    def __init__(self, names, labels, size):
        self.names, self.labels, self.size = names, labels, size

    def image(self, name):
        return tf.reshape(tf.image.decode_png(tf.read_file(name)), [4, 5, 3])

    def load(self, has_labels):
        names = list(self.names)
        if has_labels:
            queue = tf.train.slice_input_producer([names, self.labels], num_epochs=2, shuffle=False)
            name = queue[0]
            label = tf.cast(queue[1], tf.int64)
            return tf.train.batch([self.image(name), label, name], batch_size=self.size)
        else:
            queue = tf.train.slice_input_producer([names], num_epochs=2, shuffle=False)
            name = queue[0]
            return tf.train.batch([self.image(name), name], batch_size=self.size, allow_smaller_final_batch=True)


loader = Loader(IMAGES, [3, 1, 4, 1], 3)
FETCHED = [loader.load(True), loader.load(False)]
