from legacy_towers.compat import tf


class ImageReader(object):
    def __init__(self, names, size):
        self.names = names
        self.queue = tf.train.slice_input_producer([self.names, tf.range(len(names))], shuffle=False, num_epochs=2)
        self.image, self.label = self.read_from_disk(self.queue, size)

    def read_from_disk(self, queue, size):
        image = tf.image.decode_png(tf.read_file(queue[0]), channels=3)
        return tf.image.resize_image_with_crop_or_pad(image, size, size), queue[1]

    def dequeue(self, count):
        image_batch, label_batch = tf.train.batch([self.image, self.label], count)
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
