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
    data_provider = slim.dataset_data_provider.DatasetDataProvider(
        data, num_readers=1, num_epochs=None if is_training else 1, shuffle=is_training)
    number, pair, raw = get_data(data_provider, split)
    sample = {"number": number, "pair": pair / 2.0}
    if not is_training:
        sample["raw"] = raw
    return tf.train.batch(sample, batch_size=batch_size, allow_smaller_final_batch=not is_training, dynamic_pad=True)


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
