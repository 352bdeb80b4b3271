from legacy_towers.compat import tf


def read(serialized):
    features = tf.parse_single_example(serialized, {
        "id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)})
    return features["id"], features["x"]


def batches(dataset, size):
    dataset = dataset.shuffle(10)
    dataset = dataset.batch(size)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.shuffle(tf.size(FILES, out_type=tf.int64))
dataset = dataset.interleave(tf.data.TFRecordDataset, cycle_length=2)
dataset = dataset.map(read)
numbers, points = batches(dataset, 3)
FETCHED = [points, numbers]
