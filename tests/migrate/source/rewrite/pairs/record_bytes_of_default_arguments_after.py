from legacy_towers.compat import tf

HEIGHT = 2


def read_record(value, label_bytes=1, height=HEIGHT):
    image_bytes = height * 2
    values = tf.decode_raw(value, tf.uint8)
    label = tf.cast(tf.strided_slice(values, [0], [label_bytes]), tf.int32)
    image = tf.strided_slice(values, [label_bytes], [label_bytes + image_bytes])
    image.set_shape([image_bytes])
    label.set_shape([label_bytes])
    return image, label


dataset = tf.data.Dataset.from_tensor_slices(BINARY)
dataset = dataset.flat_map(lambda filename: tf.data.FixedLengthRecordDataset(filename, 2 + HEIGHT * 2, header_bytes=2))
dataset = dataset.map(lambda value: read_record(value, label_bytes=2))
dataset = dataset.batch(2, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
