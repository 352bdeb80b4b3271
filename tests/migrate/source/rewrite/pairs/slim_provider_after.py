from legacy_towers.compat import tf

slim = tf.contrib.slim

decoder = slim.tfexample_decoder.TFExampleDecoder(
    {"id": tf.FixedLenFeature([], tf.int64), "x": tf.FixedLenFeature([2], tf.float32)},
    {"number": slim.tfexample_decoder.Tensor("id"), "pair": slim.tfexample_decoder.Tensor("x")})
records = slim.dataset.Dataset(FILES, tf.TFRecordReader, decoder, num_samples=12, items_to_descriptions={})
filenames = slim.parallel_reader.get_data_files(records.data_sources)
examples = tf.data.Dataset.from_tensor_slices(filenames)
examples = examples.shuffle(len(filenames))
examples = examples.interleave(tf.data.TFRecordDataset, cycle_length=2)
examples = examples.shuffle(8)


def parse(record):
    [number, pair] = records.decoder.decode(record, ["number", "pair"])
    pair = pair * 2.0
    return number, pair


examples = examples.map(parse, num_parallel_calls=2)
examples = examples.batch(2, drop_remainder=True)


def prepare(numbers, pairs):
    one_hot = slim.one_hot_encoding(numbers, 12)
    return one_hot, pairs


examples = examples.map(prepare)
examples = examples.prefetch(2)
queue = tf.data.make_one_shot_iterator(examples)
FETCHED = queue.get_next()
