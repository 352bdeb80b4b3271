from legacy_towers.compat import tf


class ImageReader(object):
    def __init__(self, names, input_size, coord):
        self.names = names
        self.coord = coord
        self.images = tf.convert_to_tensor(self.names, dtype=tf.string)
        self.labels = tf.range(len(names))
        # Both, in order.
        dataset = tf.data.Dataset.from_tensor_slices((self.images, self.labels))
        if input_size is None:
            dataset = dataset.shuffle(tf.shape(self.images, out_type=tf.int64)[0])
        dataset = dataset.repeat(2)
        dataset = dataset.map(lambda *queue: self.read_from_disk(queue, input_size))
        self.dataset = dataset

    def read_from_disk(self, input_queue, input_size):
        image = tf.image.decode_png(tf.read_file(input_queue[0]), channels=3)
        if input_size is not None:
            image = tf.image.resize_image_with_crop_or_pad(image, *input_size)
        return image, input_queue[1]

    def dequeue(self, num_elements):
        dataset = self.dataset
        dataset = dataset.batch(num_elements, drop_remainder=True)
        dataset = dataset.prefetch(1)
        image_batch, label_batch = tf.data.make_one_shot_iterator(dataset).get_next()
        return image_batch, label_batch


reader = ImageReader(IMAGES, (3, 3), None)
FETCHED = reader.dequeue(2)
