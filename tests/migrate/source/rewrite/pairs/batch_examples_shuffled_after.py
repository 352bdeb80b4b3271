from legacy_towers.compat import tf

batch_size = 3
dataset = tf.data.Dataset.list_files(FILES)
dataset = dataset.repeat(2)
dataset = dataset.interleave(tf.data.TFRecordDataset, cycle_length=2)
dataset = dataset.map(lambda record: tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64)}), num_parallel_calls=2)
dataset = dataset.shuffle(int(batch_size * 2.5))
dataset = dataset.batch(batch_size)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
FETCHED = batch["id"]
