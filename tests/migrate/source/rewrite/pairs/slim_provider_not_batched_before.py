from legacy_towers.compat import tf

slim = tf.contrib.slim


def items(data):
    with tf.name_scope("provider"):
        provider = slim.dataset_data_provider.DatasetDataProvider(
            data, num_readers=1, shuffle=False, num_epochs=1)
    # Two items.
    [number, pair] = provider.get(["number", "pair"])
    return [number], [pair * 2.0]


decoder = slim.tfexample_decoder.TFExampleDecoder(
    {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)},
    {"number": slim.tfexample_decoder.Tensor("id"), "pair": slim.tfexample_decoder.Tensor("x")})
records = slim.dataset.Dataset(FILES, tf.TFRecordReader, decoder, num_samples=12, items_to_descriptions={})
provider = slim.dataset_data_provider.DatasetDataProvider(records, num_readers=1, shuffle=False, num_epochs=1)
print(provider.num_samples())
serialized = slim.parallel_reader.single_pass_read(FOLDER + "/*.tfrecord", tf.TFRecordReader)[1]
size = tf.size(tf.decode_raw(serialized, tf.uint8))
FETCHED = [provider.get(["number"])[0] + 1], items(records), [size]
