from legacy_towers.compat import tf

if len(IMAGES) > 100:
    dataset = tf.data.Dataset.from_tensor_slices((IMAGES, list(range(len(IMAGES)))))
    dataset = dataset.shuffle(tf.shape(IMAGES, out_type=tf.int64)[0])
elif len(IMAGES) > 1:
    dataset = tf.data.Dataset.from_tensor_slices((IMAGES, list(range(len(IMAGES)))))
    dataset = dataset.repeat(2)
else:
    raise ValueError("no images")


def parse(name, label):
    image = tf.cast(tf.image.decode_png(tf.read_file(name), channels=3), tf.float32)
    image.set_shape([4, 5, 3])
    return image, label


dataset = dataset.map(parse)
dataset = dataset.batch(3, drop_remainder=True)
dataset = dataset.prefetch(1)
FETCHED = tf.data.make_one_shot_iterator(dataset).get_next()
