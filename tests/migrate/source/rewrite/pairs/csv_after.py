from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(sorted(CSV))
dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))
defaults = [[0.0], [0], ["none"]]


def parse(line):
    a, n, label = tf.decode_csv(line, record_defaults=defaults)
    return {"a": a, "n": n, "label": label}


dataset = dataset.map(parse)
dataset = dataset.batch(3)
dataset = dataset.prefetch(1)
batch = tf.data.make_one_shot_iterator(dataset).get_next()
FETCHED = [batch]
