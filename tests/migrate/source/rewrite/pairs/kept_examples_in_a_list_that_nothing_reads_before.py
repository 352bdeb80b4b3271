from legacy_towers.compat import tf


class Reader(object):
    def __init__(self, names):
        self.queue = tf.train.slice_input_producer([names, tf.range(4)], num_epochs=1, shuffle=False)
        self.image = tf.to_float(tf.image.decode_png(tf.read_file(self.queue[0]), channels=3))
        self.image.set_shape([4, 5, 3])
        self.label = self.queue[1]

    def dequeue(self, size):
        batch_list = [self.image, self.label]
        images, labels = tf.train.batch([self.image, self.label], size)
        return images, labels


reader = Reader(IMAGES)
FETCHED = reader.dequeue(2)
