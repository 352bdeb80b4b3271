from legacy_towers.compat import tf


def build_input(files, batch_size, mode):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    if mode == "train":
        num_threads = 4
    else:
        num_threads = 1

    def parse(value):
        # Convert these examples.
        features = tf.parse_single_example(
            value, {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
        image = features["x"]
        label = tf.cast(features["id"], tf.int32)

        if mode == "train":
            image = image * 2.0
            # Brightness is not changed.
            image = tf.reshape(image, [1, 2])
        else:
            image = tf.reshape(image, [1, 2])
        return tf.ensure_shape(image, [1, 2]), tf.ensure_shape(label, [])

    dataset = dataset.map(parse, num_parallel_calls=num_threads)

    # Read 'batch' labels + images from the example queue.
    if mode == "train":
        dataset = dataset.shuffle(4 * batch_size)
    dataset = dataset.batch(batch_size, drop_remainder=True)
    dataset = dataset.prefetch(1)
    images, labels = tf.data.make_one_shot_iterator(dataset).get_next()
    labels = tf.reshape(labels, [batch_size, 1])
    return images, labels


FETCHED = build_input(FILES, 3, "train")
