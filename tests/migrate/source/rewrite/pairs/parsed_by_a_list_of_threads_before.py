from legacy_towers.compat import tf


def parse(serialized):
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
    return features["id"], tf.size(serialized)


queue = tf.train.string_input_producer(FILES, num_epochs=1)
_, serialized = tf.TFRecordReader().read(queue)
examples = [parse(serialized) for _ in range(4)]
FETCHED = tf.train.shuffle_batch_join(examples, 5, 20, 4, allow_smaller_final_batch=True)
