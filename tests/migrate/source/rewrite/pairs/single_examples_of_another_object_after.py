from legacy_towers.compat import tf


class ImageReader(object):
    def __init__(self, names, size):
        self.names = names
        dataset = tf.data.Dataset.from_tensor_slices((self.names, tf.range(len(names))))
        dataset = dataset.repeat(2)
        dataset = dataset.map(lambda *queue: self.read_from_disk(queue, size))
        self.dataset = dataset
        self.image, self.label = tf.data.make_one_shot_iterator(dataset).get_next()

    def read_from_disk(self, queue, size):
        image = tf.image.decode_png(tf.read_file(queue[0]), channels=3)
        return tf.image.resize_image_with_crop_or_pad(image, size, size), queue[1]

    def dequeue(self, count):
        dataset = self.dataset
        dataset = dataset.batch(count, drop_remainder=True)
        image_batch, label_batch = tf.data.make_one_shot_iterator(dataset).get_next()
        return image_batch, label_batch


def train():
    with tf.name_scope("inputs"):
        reader = ImageReader(IMAGES, 3)
        others = ImageReader(IMAGES[:2], 2)
        return list(reader.dequeue(2)) + list(others.dequeue(1))


def evaluate():
    reader = ImageReader(IMAGES, 4)
    image, label = reader.image, reader.label
    return [image, label]


FETCHED = train() + evaluate()
