from legacy_towers.compat import tf


def distorted(values, factors, is_training):
    return values * factors[1] if is_training else values


queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
_, serialized = tf.TFRecordReader().read(queue)
examples = []
for thread in range(2):
    values = tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]
    factors = [1.0, 2.0]
    training = True
    image = distorted(values, factors, training)
    examples.append([image, values])
FETCHED = tf.train.batch_join(examples, batch_size=3, allow_smaller_final_batch=True)
