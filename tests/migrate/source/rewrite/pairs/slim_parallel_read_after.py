from legacy_towers.compat import tf

slim = tf.contrib.slim

filenames = slim.parallel_reader.get_data_files(FILES)
dataset = tf.data.Dataset.from_tensor_slices(filenames)
dataset = dataset.shuffle(len(filenames))
dataset = dataset.repeat(2)
dataset = dataset.interleave(tf.data.TFRecordDataset, cycle_length=2)
dataset = dataset.shuffle(10)


def parse(serialized):
    example = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
    return example["id"]


dataset = dataset.map(parse)
dataset = dataset.batch(4, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
