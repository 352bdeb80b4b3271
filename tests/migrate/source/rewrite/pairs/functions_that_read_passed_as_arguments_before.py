from legacy_towers.compat import tf


def read_ids(queue):
    _, record = tf.TFRecordReader().read(queue)
    return tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64)})["id"]


def read_sizes(queue):
    _, record = tf.TFRecordReader().read(queue)
    return tf.cast(tf.size(tf.decode_raw(record, tf.uint8)), tf.int64)


def batches(files, read, size=3):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    number = read(queue)
    return tf.train.batch([number], size, allow_smaller_final_batch=True)


FETCHED = batches(FILES, read_ids), batches(FILES, read=read_sizes)
