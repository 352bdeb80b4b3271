from legacy_towers.compat import tf

batch = tf.contrib.learn.read_batch_record_features(
    FOLDER + "/*.tfrecord", 3, {"id": tf.FixedLenFeature([], tf.int64)}, num_epochs=1, reader_num_threads=2)
FETCHED = batch["id"]
