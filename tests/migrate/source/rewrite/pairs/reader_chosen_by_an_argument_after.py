from legacy_towers.compat import tf


def read(value, is_text=False, skipped=0):
    return value


def batches(files, is_text):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(
        tf.data.TFRecordDataset
        if not is_text else lambda filename: tf.data.TextLineDataset(filename).skip(1))
    dataset = dataset.map(lambda value_2: read(value_2, is_text, 1))
    dataset = dataset.batch(3)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = batches(CSV, is_text=True)
