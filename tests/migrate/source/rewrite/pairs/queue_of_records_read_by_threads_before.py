from legacy_towers.compat import tf


def prefetch(files, threads):
    names = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    records = tf.FIFOQueue(capacity=10, dtypes=[tf.string])
    reader = tf.TFRecordReader()
    _, value = reader.read(names)
    enqueue = records.enqueue([value])
    runner = tf.train.QueueRunner(records, [enqueue] * threads)
    tf.train.add_queue_runner(runner)
    return records


records = prefetch(FILES, 1)
examples = []
for thread_id in range(2):
    serialized = records.dequeue()
    number = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]
    examples.append([number + thread_id // 2, tf.range(number)])
FETCHED = tf.train.batch_join(examples, 4, dynamic_pad=True, name="pad")[0]
