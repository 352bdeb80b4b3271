from legacy_towers.compat import tf


def read(queue):
    _, serialized = tf.TFRecordReader().read(queue)
    return tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]


def file_queue(files):
    return tf.train.string_input_producer(files, num_epochs=1, shuffle=False)


def batches(queue, size):
    values = read(queue)
    doubled = values * 2.0
    batch, doubled_batch = tf.train.batch([values, doubled], batch_size=size)
    print("one: {}".format(doubled.get_shape().as_list()))
    print("many:", batch)
    return batch, doubled_batch


if __name__ != "module":
    queue = file_queue(FILES)
    FETCHED = [batches(queue, 4)]
    single_queue = tf.train.string_input_producer(FILES, shuffle=False)
    single = read(single_queue)
