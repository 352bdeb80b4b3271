from legacy_towers.compat import tf


def parse(reader, queue):
    _, serialized = reader.read(queue)
    return tf.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.float32)})["x"]


def augmented(reader, queue, factor=2.0):
    values = parse(reader, queue)
    return values * factor


def inputs(files, size, serialized):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    reader = tf.TFRecordReader()
    values = augmented(reader, queue)
    values = values + serialized
    return tf.train.batch([values], batch_size=size)


def read_bytes(queue, count):
    reader = tf.FixedLengthRecordReader(record_bytes=count, header_bytes=2)
    _, value = reader.read(queue)
    return tf.decode_raw(value, tf.uint8)


def image(queue, width, height):
    value = read_bytes(queue, width * height)
    return tf.reshape(value, [height, width])


def images(queue):
    return image(queue=queue, width=3, height=2)


binary = tf.train.string_input_producer(BINARY, num_epochs=1, shuffle=False)
one_image = images(binary)
FETCHED = [inputs(FILES, 2, 0.5), tf.train.batch([one_image], batch_size=1)]
