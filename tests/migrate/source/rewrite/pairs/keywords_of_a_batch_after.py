from legacy_towers.compat import tf

SIZE = 2 + 1
OPTIONS = {"batch_size": SIZE, "num_threads": 1, "capacity": 8 * SIZE, "allow_smaller_final_batch": True}
files = dict(num_epochs=2, shuffle=False)

dataset = tf.data.Dataset.from_tensor_slices(CSV)
dataset = dataset.repeat(2)
dataset = dataset.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))
dataset = dataset.map(lambda line: (line, tf.size(tf.string_split([line], ","))))
dataset = dataset.batch(OPTIONS["batch_size"])
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
