from legacy_towers.compat import tf

queue = tf.train.string_input_producer(BINARY, shuffle=False, num_epochs=1)
reader = tf.FixedLengthRecordReader(record_bytes=6, header_bytes=2)
key, value = reader.read(queue)
record = tf.decode_raw(value, tf.uint8); label = tf.cast(record[0], tf.int32)
image = tf.reshape(record[1:], [5])
image.set_shape([5])
images, labels = tf.train.batch([image, label], 2)
FETCHED = [images, labels]
