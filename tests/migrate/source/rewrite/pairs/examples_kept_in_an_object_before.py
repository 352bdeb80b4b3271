from legacy_towers.compat import tf


class ImageReader(object):
    def __init__(self, names, input_size, coord):
        self.names = names
        self.coord = coord
        self.images = tf.convert_to_tensor(self.names, dtype=tf.string)
        self.labels = tf.range(len(names))
        # Both, in order.
        self.queue = tf.train.slice_input_producer([self.images, self.labels], shuffle=input_size is None, num_epochs=2)
        self.image, self.label = self.read_from_disk(self.queue, input_size)

    def read_from_disk(self, input_queue, input_size):
        image = tf.image.decode_png(tf.read_file(input_queue[0]), channels=3)
        if input_size is not None:
            image = tf.image.resize_image_with_crop_or_pad(image, *input_size)
        return image, input_queue[1]

    def dequeue(self, num_elements):
        image_batch, label_batch = tf.train.batch([self.image, self.label], num_elements)
        return image_batch, label_batch


reader = ImageReader(IMAGES, (3, 3), None)
FETCHED = reader.dequeue(2)
