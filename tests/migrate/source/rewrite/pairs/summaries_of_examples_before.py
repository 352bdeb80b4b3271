from legacy_towers.compat import tf


def decode(serialized):
    example = tf.parse_single_example(serialized, {"raw": tf.FixedLenFeature([], tf.string)})
    image = tf.cast(tf.reshape(tf.decode_raw(example["raw"], tf.uint8), [1, 1, 3]), tf.float32)
    tf.summary.image("image", tf.expand_dims(image, 0))
    return image


queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
_, record = tf.TFRecordReader().read(queue)
image = decode(record)
tf.summary.histogram("values", image)
images = tf.train.batch([image], 5)
tf.summary.image("images", images)
FETCHED = [images]
SUMMARIES = ["image", "values", "images"]
