from legacy_towers.compat import tf


def read(serialized):
    return serialized


def parse(serialized):
    features = tf.parse_single_example(serialized, {
        "id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
    return features["id"], features["x"]


def batches(dataset, size, capacity):
    def parse_example(image, words):
        length = tf.subtract(tf.shape(words)[0], 1)
        last = words[length]
        return image, last, length

    # What each batch has beside the images is computed here.
    dataset = dataset.map(parse_example)
    dataset = dataset.batch(size)
    dataset = dataset.prefetch(1)
    images, last, lengths = tf.data.make_one_shot_iterator(dataset).get_next()
    return images, last, lengths


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse_example(serialized_2):
    serialized = read(serialized_2)
    number, image = parse(serialized)
    words = tf.range(number + 1)
    return image, words


dataset = dataset.map(parse_example, num_parallel_calls=3)
FETCHED = batches(dataset, size=3, capacity=20)
