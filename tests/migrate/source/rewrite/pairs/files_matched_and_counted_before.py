from legacy_towers.compat import tf


class Images(object):
    def setup(self):
        names = tf.train.match_filenames_once(FOLDER + "/*.png")
        self.count = tf.size(names)
        queue = tf.train.string_input_producer(names, shuffle=False, num_epochs=1)
        others = tf.train.match_filenames_once(FOLDER + "/*.bin")
        other_queue = tf.train.string_input_producer(others, shuffle=False, num_epochs=2)
        reader = tf.WholeFileReader()
        _, content = reader.read(queue)
        _, other = reader.read(other_queue)
        self.image = tf.image.decode_png(content, channels=3)
        self.size = tf.size(tf.decode_raw(other, tf.uint8))


images = Images()
images.setup()
FETCHED = [images.count], images.image, [images.size]
