from legacy_towers.compat import tf


def inputs(size, is_training):
    dataset = tf.data.Dataset.from_tensor_slices(BINARY)
    dataset = dataset.flat_map(lambda filename: tf.data.FixedLengthRecordDataset(filename, 6, header_bytes=2))

    def parse(value):
        record = tf.decode_raw(value, tf.uint8)
        record.set_shape([6])
        image = tf.cast(record[1:], tf.float32)
        label = tf.cast(record[0], tf.int32)
        return image, label

    dataset = dataset.map(parse)
    if is_training:
        def parse(image, label):
            image = image * 0.5
            return image, label

        dataset = dataset.map(parse)
        dataset = dataset.batch(size, drop_remainder=True)
        images, labels = tf.data.make_one_shot_iterator(dataset).get_next()
    elif size > 2:
        dataset = dataset.batch(2, drop_remainder=True)
        images, labels = tf.data.make_one_shot_iterator(dataset).get_next()
    else:
        def parse(image, label):
            label = label - 1
            return image[:3], label

        dataset = dataset.map(parse)
        dataset = dataset.batch(size, drop_remainder=True)
        images, labels = tf.data.make_one_shot_iterator(dataset).get_next()
    return images, labels


FETCHED = [tf.concat([inputs(2, True)[0][:, :3], inputs(3, False)[0][:, :3], inputs(1, False)[0]], 0)]
