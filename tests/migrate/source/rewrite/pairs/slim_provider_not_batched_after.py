from legacy_towers.compat import tf

slim = tf.contrib.slim


def items(data):
    with tf.name_scope("provider"):
        filenames = slim.parallel_reader.get_data_files(data.data_sources)
        examples = tf.data.Dataset.from_tensor_slices(filenames)
        examples = examples.flat_map(tf.data.TFRecordDataset)
    # Two items.
    record = tf.data.make_one_shot_iterator(examples).get_next()
    [number, pair] = data.decoder.decode(record, ["number", "pair"])
    return [number], [pair * 2.0]


decoder = slim.tfexample_decoder.TFExampleDecoder(
    {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)},
    {"number": slim.tfexample_decoder.Tensor("id"), "pair": slim.tfexample_decoder.Tensor("x")})
records = slim.dataset.Dataset(FILES, tf.TFRecordReader, decoder, num_samples=12, items_to_descriptions={})
filenames = slim.parallel_reader.get_data_files(records.data_sources)
examples = tf.data.Dataset.from_tensor_slices(filenames)
examples = examples.flat_map(tf.data.TFRecordDataset)
record = tf.data.make_one_shot_iterator(examples).get_next()
provider = slim.data_provider.DataProvider(
    dict(zip(records.decoder.list_items(), records.decoder.decode(record, records.decoder.list_items()))),
    records.num_samples)
print(provider.num_samples())
filenames = slim.parallel_reader.get_data_files(FOLDER + "/*.tfrecord")
examples_2 = tf.data.Dataset.from_tensor_slices(filenames)
examples_2 = examples_2.flat_map(tf.data.TFRecordDataset)
serialized = tf.data.make_one_shot_iterator(examples_2).get_next()
size = tf.size(tf.decode_raw(serialized, tf.uint8))
FETCHED = [provider.get(["number"])[0] + 1], items(records), [size]
