from legacy_towers.compat import tf


def parse(serialized):
    return tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]


queue = tf.train.string_input_producer(FILES, num_epochs=1)
examples = [[parse(tf.TFRecordReader().read(queue)[1]), tf.constant(1)] for _ in range(2)]
FETCHED = tf.train.shuffle_batch_join(examples, batch_size=5, capacity=10, min_after_dequeue=4,
                                      allow_smaller_final_batch=True)
