from legacy_towers.compat import tf

table = tf.contrib.lookup.index_table_from_tensor(tf.constant(["a", "b"]), num_oov_buckets=1)
dataset = tf.data.Dataset.from_tensor_slices(CSV)
dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))


def parse(line):
    _, _, label = tf.decode_csv(line, [[0.0], [0], [""]])
    ids = table.lookup(label)
    return ids


dataset = dataset.map(parse)
dataset = dataset.batch(4, drop_remainder=True)
dataset = dataset.prefetch(1)
iterator = tf.data.make_initializable_iterator(dataset)
tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
FETCHED = [iterator.get_next()]
INITIALIZER = tf.tables_initializer
