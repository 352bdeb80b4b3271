from legacy_towers.compat import tf


def parse_rows(rows):
    columns = tf.decode_csv(tf.expand_dims(rows, -1), [[0.0], [0], [""]])
    return dict(zip(["x", "number", "name"], columns))


def input_fn(files, batches, size):
    dataset = tf.data.Dataset.from_tensor_slices(files)
    dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1).batch(size))
    if batches:
        dataset = dataset.map(parse_rows)
        dataset = dataset.unbatch()
        dataset = dataset.batch(size)
        features = tf.data.make_one_shot_iterator(dataset).get_next()
    else:
        rows = tf.data.make_one_shot_iterator(dataset).get_next()
        features = parse_rows(rows)
    labels = features.pop("name")
    return features, labels


FETCHED = [input_fn(CSV, True, 3), input_fn(CSV, False, 3)]
