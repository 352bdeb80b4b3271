from legacy_towers.compat import tf

slim = tf.contrib.slim

decoder = slim.tfexample_decoder.TFExampleDecoder(
    {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)},
    {"number": slim.tfexample_decoder.Tensor("id"), "pair": slim.tfexample_decoder.Tensor("x")})
records = slim.dataset.Dataset(FILES, tf.TFRecordReader, decoder, num_samples=12, items_to_descriptions={})
provider = slim.dataset_data_provider.DatasetDataProvider(
    records, num_readers=2, shuffle=True, num_epochs=1, common_queue_capacity=8, common_queue_min=4)
[number, pair] = provider.get(["number", "pair"])
pair = pair * 2.0
numbers, pairs = tf.train.batch([number, pair], batch_size=2, num_threads=2)
one_hot = slim.one_hot_encoding(numbers, 12)
queue = slim.prefetch_queue.prefetch_queue([one_hot, pairs], capacity=2)
FETCHED = queue.dequeue()
