from legacy_towers.compat import tf


def decode(serialized):
    example = tf.parse_single_example(serialized, {"raw": tf.FixedLenFeature([], tf.string)})
    image = tf.cast(tf.reshape(tf.decode_raw(example["raw"], tf.uint8), [1, 1, 3]), tf.float32)
    tf.summary.image("image", tf.expand_dims(image, 0))
    return image


dataset = tf.data.Dataset.from_tensor_slices(FILES)
dataset = dataset.flat_map(tf.data.TFRecordDataset)


def parse(record):
    image = decode(record)
    tf.summary.histogram("values", image)
    return image


# Its summaries are of examples that are read for them.
parse(tf.data.make_one_shot_iterator(dataset).get_next())
dataset = dataset.map(parse)
dataset = dataset.batch(5, drop_remainder=True)
dataset = dataset.prefetch(1)
images = tf.data.make_one_shot_iterator(dataset).get_next()
tf.summary.image("images", images)
FETCHED = [images]
SUMMARIES = ["image", "values", "images"]
