from legacy_towers.compat import tf


def batches(options):
    dataset = tf.data.Dataset.from_tensor_slices(FILES)
    dataset = dataset.flat_map(
        lambda filename: tf.data.TFRecordDataset(filename, tf.python_io.TFRecordOptions.get_compression_type_string(options)))
    dataset = dataset.batch(4, drop_remainder=True)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = [batches(None), batches(tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.NONE))]
