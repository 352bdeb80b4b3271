from legacy_towers.compat import tf

slim = tf.contrib.slim

filenames = slim.parallel_reader.get_data_files(FOLDER + "/*.tfrecord")
dataset = tf.data.Dataset.from_tensor_slices(filenames)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    example = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
    return example["id"]


dataset = dataset.map(parse)
dataset = dataset.batch(5, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
