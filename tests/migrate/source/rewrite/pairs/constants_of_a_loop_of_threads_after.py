from legacy_towers.compat import tf


def distorted(values, factors, is_training):
    return values * factors[1] if is_training else values


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(serialized):
    values = tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]
    factors = [1.0, 2.0]
    training = True
    image = distorted(values, factors, training)
    return image, values


dataset = dataset.map(parse, num_parallel_calls=2)
dataset = dataset.batch(3)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
