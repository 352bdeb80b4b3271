from legacy_towers.compat import tf


def parse(record):
    return tf.decode_csv(record, [[""], [""], [""]])


def input_fn(pattern, epochs):
    dataset = tf.data.Dataset.list_files(pattern, shuffle=False)
    dataset = dataset.repeat(epochs)
    dataset = dataset.flat_map(tf.data.TextLineDataset)
    dataset = dataset.map(lambda record: tf.stack(parse(record)))
    dataset = dataset.batch(3, drop_remainder=epochs is None)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = input_fn(FOLDER + "/*.csv", 1)
