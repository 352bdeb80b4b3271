from legacy_towers.compat import tf


class Reader(object):
    def __init__(self, names):
        dataset = tf.data.Dataset.from_tensor_slices((names, tf.range(4)))

        def parse(*queue):
            image = tf.to_float(tf.image.decode_png(tf.read_file(queue[0]), channels=3))
            image.set_shape([4, 5, 3])
            label = queue[1]
            return image, label

        dataset = dataset.map(parse)
        self.dataset = dataset

    def dequeue(self, size):
        dataset = self.dataset
        dataset = dataset.batch(size, drop_remainder=True)
        dataset = dataset.prefetch(1)
        images, labels = tf.data.make_one_shot_iterator(dataset).get_next()
        return images, labels


reader = Reader(IMAGES)
FETCHED = reader.dequeue(2)
