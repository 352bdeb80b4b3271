from legacy_towers.compat import tf


class Loader:
    def __init__(self, names, labels, size):
        self.names, self.labels, self.size = names, labels, size

    def image(self, name):
        return tf.reshape(tf.image.decode_png(tf.read_file(name)), [4, 5, 3])

    def load(self, has_labels):
        names = list(self.names)
        if has_labels:
            dataset = tf.data.Dataset.from_tensor_slices((names, self.labels))
            dataset = dataset.repeat(2)

            def parse(*queue):
                name = queue[0]
                label = tf.cast(queue[1], tf.int64)
                return self.image(name), label, name

            dataset = dataset.map(parse)
            dataset = dataset.batch(self.size, drop_remainder=True)
            return tf.data.make_one_shot_iterator(dataset).get_next()
        else:
            dataset = tf.data.Dataset.from_tensor_slices((names,))
            dataset = dataset.repeat(2)

            def parse(*queue):
                name = queue[0]
                return self.image(name), name

            dataset = dataset.map(parse)
            dataset = dataset.batch(self.size)
            return tf.data.make_one_shot_iterator(dataset).get_next()


loader = Loader(IMAGES, [3, 1, 4, 1], 3)
FETCHED = [loader.load(True), loader.load(False)]
