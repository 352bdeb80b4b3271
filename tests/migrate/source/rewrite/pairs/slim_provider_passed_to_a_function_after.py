from legacy_towers.compat import tf

slim = tf.contrib.slim


def get_data(provider, split):
    if "number" not in provider.list_items():
        raise ValueError("no numbers")
    number, pair = provider.get(["number", "pair"])
    raw = tf.constant("")
    if "raw" in provider.list_items():
        raw, = provider.get(["raw"])
    return number, pair, raw


def get_batch(data, batch_size, split, is_training):
    filenames = slim.parallel_reader.get_data_files(data.data_sources)
    examples = tf.data.Dataset.from_tensor_slices(filenames)
    if is_training:
        examples = examples.shuffle(len(filenames))
    examples = examples.repeat(None if is_training else 1)
    examples = examples.flat_map(tf.data.TFRecordDataset)
    if is_training:
        examples = examples.shuffle(256)

    def parse(record):
        data_provider = slim.data_provider.DataProvider(
            dict(zip(data.decoder.list_items(), data.decoder.decode(record, data.decoder.list_items()))),
            data.num_samples)
        number, pair, raw = get_data(data_provider, split)
        sample = {"number": number, "pair": pair / 2.0}
        if not is_training:
            sample["raw"] = raw
        return sample

    examples = examples.map(parse)
    examples = examples.padded_batch(batch_size, tf.data.get_output_shapes(examples), drop_remainder=is_training)
    examples = examples.prefetch(1)
    return tf.data.make_one_shot_iterator(examples).get_next()


def get_split(files):
    decoder = slim.tfexample_decoder.TFExampleDecoder(
        {"id": tf.FixedLenFeature([], tf.int64), "x": tf.VarLenFeature(tf.float32),
         "raw": tf.FixedLenFeature([], tf.string)},
        {"number": slim.tfexample_decoder.Tensor("id"), "pair": slim.tfexample_decoder.Tensor("x"),
         "raw": slim.tfexample_decoder.Tensor("raw")})
    return slim.dataset.Dataset(
        data_sources=files, reader=tf.TFRecordReader, decoder=decoder, num_samples=12, items_to_descriptions={})


samples = get_batch(get_split(FILES), 5, "test", False)
FETCHED = [samples["number"], samples["pair"], samples["raw"]]
