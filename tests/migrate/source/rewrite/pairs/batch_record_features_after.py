from legacy_towers.compat import tf

dataset = tf.data.experimental.make_batched_features_dataset(
    FOLDER + "/*.tfrecord", 3, {"id": tf.FixedLenFeature([], tf.int64)}, num_epochs=1, reader_num_threads=2)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
FETCHED = batch["id"]
