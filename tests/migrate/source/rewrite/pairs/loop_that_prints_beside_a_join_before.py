from legacy_towers.compat import tf


def read(queue):
    _, serialized = tf.TFRecordReader().read(queue)
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
    return features["id"], features["id"] * 2


queue = tf.train.string_input_producer(FILES, num_epochs=1)
examples = []
for number in range(2):
    print("reader", number)
    x, y = read(queue)
    examples.append([x, y])
FETCHED = tf.train.batch_join(examples, 4, allow_smaller_final_batch=True)
