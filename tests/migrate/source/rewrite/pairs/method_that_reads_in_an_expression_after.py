from legacy_towers.compat import tf


class Records(object):
    def __init__(self, files):
        dataset = tf.data.Dataset.from_tensor_slices(files)
        dataset = dataset.flat_map(tf.data.TFRecordDataset)
        self.dataset = dataset

    def next(self):
        dataset = self.dataset

        def parse(serialized):
            features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
            return tf.multiply(features["id"], 2)

        dataset = dataset.map(parse)
        return dataset

    def numbers(self, size):
        # The examples of one step.
        dataset = self.next()
        dataset = dataset.batch(size, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()


class Images(object):
    def __init__(self, files):
        dataset = tf.data.Dataset.from_tensor_slices(files)
        dataset = dataset.map(tf.read_file)
        self.dataset = dataset

    def image(self):
        dataset = self.dataset
        dataset = dataset.map(lambda content: tf.image.decode_png(content, 3))
        return dataset

    def images(self, size):
        dataset = self.image()

        def parse(example_2):
            scaled = tf.image.resize_images(
                example_2, [2, 2]) * 0.5
            return scaled

        dataset = dataset.map(parse)
        dataset = dataset.batch(size, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = [Records(FILES).numbers(3), Images(IMAGES).images(2)]
