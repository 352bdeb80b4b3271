from legacy_towers.compat import tf


def read(serialized):
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
    return features["id"], features["id"] * 2


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.shuffle(tf.size(FILES, out_type=tf.int64))
dataset = dataset.interleave(tf.data.TFRecordDataset, cycle_length=2)
for number in range(2):
    print("reader", number)
dataset = dataset.map(read)
dataset = dataset.batch(4)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
