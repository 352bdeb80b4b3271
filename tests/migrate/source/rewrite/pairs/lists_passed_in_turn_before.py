from legacy_towers.compat import tf

THREADS = 2


def parse(serialized, thread_id):
    number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    # Both branches compute the same, one after the other and at once.
    return tf.stack([number, number * 2]) if thread_id % 2 else number * tf.constant([1, 2], tf.int64)


def batches(examples, size):
    joined = []
    for example in examples:
        joined.append([example[0], tf.reduce_sum(example[1])])
    return tf.train.batch_join(joined, batch_size=size, allow_smaller_final_batch=True)


queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False)
_, serialized = tf.TFRecordReader().read(queue)
examples = []
for thread_id in range(THREADS):
    numbers = parse(serialized, thread_id)
    examples.append([numbers, numbers + 1])
FETCHED = batches(size=3, examples=examples)
