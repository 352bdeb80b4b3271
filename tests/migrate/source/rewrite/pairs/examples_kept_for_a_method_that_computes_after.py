from legacy_towers.compat import tf


class Images(object):
    def __init__(self, names, labels, size):
        self.size = size
        # Names and labels.
        dataset = tf.data.Dataset.from_tensor_slices((names, labels))
        dataset = dataset.repeat(2)
        self.dataset = dataset

    def batch(self):
        dataset = self.dataset
        with tf.name_scope("batch"):
            def parse(name, label):
                image = tf.image.decode_png(tf.read_file(name), channels=3)
                image = tf.image.resize_image_with_crop_or_pad(image, 2, 2)
                return image, label

            dataset = dataset.map(parse)
            dataset = dataset.batch(self.size, drop_remainder=True)
            return tf.data.make_one_shot_iterator(dataset).get_next()


class Records(object):
    def __init__(self, files):
        dataset = tf.data.Dataset.from_tensor_slices(files)
        dataset = dataset.flat_map(tf.data.TFRecordDataset)
        self.dataset = dataset
        self.read()
        self.make_batch(3)

    def read(self):
        dataset = self.dataset

        def parse(serialized):
            features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
            return features

        dataset = dataset.map(parse)
        self.dataset_2 = dataset

    def make_batch(self, size):
        dataset = self.dataset_2

        def parse(features):
            number = features["id"]
            return number, number * number

        dataset = dataset.map(parse)
        dataset = dataset.batch(size, drop_remainder=True)
        self.numbers = tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = [Images(IMAGES, tf.constant([3, 2, 1, 0]), 2).batch(), Records(FILES).numbers]
