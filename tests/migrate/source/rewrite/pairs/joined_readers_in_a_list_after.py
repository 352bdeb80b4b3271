from legacy_towers.compat import tf


def parse(serialized):
    return tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.shuffle(tf.size(FILES, out_type=tf.int64))
dataset = dataset.interleave(tf.data.TFRecordDataset, cycle_length=2)
dataset = dataset.map(lambda record: (parse(record), tf.constant(1)))
dataset = dataset.shuffle(10)
dataset = dataset.batch(5)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
