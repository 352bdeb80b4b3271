from legacy_towers.compat import tf


def read(queue, is_text=False, skipped=0):
    reader = tf.TFRecordReader() if not is_text else tf.TextLineReader(skipped)
    _, value = reader.read(queue)
    return value


def batches(files, is_text):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    value = read(queue, is_text, 1)
    return tf.train.batch([value], 3, allow_smaller_final_batch=True)


FETCHED = batches(CSV, is_text=True)
