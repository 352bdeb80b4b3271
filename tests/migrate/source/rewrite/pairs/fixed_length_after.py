from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(BINARY)
dataset = dataset.flat_map(lambda filename: tf.data.FixedLengthRecordDataset(filename, 6, header_bytes=2))


def parse(value):
    record = tf.decode_raw(value, tf.uint8)
    label = tf.cast(record[0], tf.int32)
    image = tf.reshape(record[1:], [5])
    image.set_shape([5])
    return image, label


dataset = dataset.map(parse)
dataset = dataset.batch(2, drop_remainder=True)
dataset = dataset.prefetch(1)
images, labels = tf.data.make_one_shot_iterator(dataset).get_next()
FETCHED = [images, labels]
