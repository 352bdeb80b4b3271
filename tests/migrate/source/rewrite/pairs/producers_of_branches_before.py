from legacy_towers.compat import tf


def batches(is_training):
    if is_training:
        names = FILES
        queue = tf.train.string_input_producer(names, num_epochs=2)
    else:
        queue = tf.train.string_input_producer(CSV, num_epochs=1, shuffle=False)
    reader = tf.TextLineReader(skip_header_lines=1)
    _, line = reader.read(queue)
    return tf.train.batch([line, tf.size(tf.string_split([line]))], 3)


FETCHED = batches(is_training=False)
