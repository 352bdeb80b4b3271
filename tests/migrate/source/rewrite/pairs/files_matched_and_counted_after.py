from legacy_towers.compat import tf


class Images(object):
    def setup(self):
        names = tf.matching_files(FOLDER + "/*.png")
        self.count = tf.size(names)
        dataset = tf.data.Dataset.list_files(FOLDER + "/*.png", shuffle=False)
        dataset_2 = tf.data.Dataset.list_files(FOLDER + "/*.bin", shuffle=False)
        dataset_2 = dataset_2.repeat(2)
        dataset_2 = dataset_2.map(tf.read_file)
        dataset = dataset.map(tf.read_file)
        content = tf.data.make_one_shot_iterator(dataset).get_next()
        other = tf.data.make_one_shot_iterator(dataset_2).get_next()
        self.image = tf.image.decode_png(content, channels=3)
        self.size = tf.size(tf.decode_raw(other, tf.uint8))


images = Images()
images.setup()
FETCHED = [images.count], images.image, [images.size]
