from legacy_towers.compat import tf

dataset = tf.data.Dataset.from_tensor_slices(IMAGES)
dataset = dataset.repeat(2)
dataset_2 = tf.data.Dataset.from_tensor_slices(CSV)

dataset = dataset.map(tf.read_file)
dataset_2 = dataset_2.flat_map(lambda filename: tf.data.TextLineDataset(filename).skip(1))
dataset = tf.data.Dataset.zip((dataset, dataset_2))


def parse(content, line):
    image = tf.image.decode_png(content, channels=3)
    image.set_shape([4, 5, 3])
    _, _, label = tf.decode_csv(line, [[0.0], [0], [""]])
    return image, label


dataset = dataset.map(parse)
dataset = dataset.batch(2, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
