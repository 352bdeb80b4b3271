from legacy_towers.compat import tf

IS_TEXT = True
dataset = tf.data.Dataset.from_tensor_slices(CSV)
dataset = dataset.flat_map(
    (lambda filename: tf.data.TextLineDataset(filename).skip(1))
    if IS_TEXT else tf.data.TFRecordDataset)
# Lines of text, or records.
dataset = dataset.map(lambda value: (value, tf.string_to_hash_bucket_fast(value, 100)))
dataset = dataset.batch(3)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
