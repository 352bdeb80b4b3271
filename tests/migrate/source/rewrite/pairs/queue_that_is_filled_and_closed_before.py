from legacy_towers.compat import tf


class Record(object):
    pass


def read(queue):
    result = Record()
    result.bytes = 6
    reader = tf.FixedLengthRecordReader(record_bytes=result.bytes, header_bytes=2)
    result.key, value = reader.read(queue)
    number = tf.decode_raw(value, tf.uint8)
    result.number = tf.reshape(number, [6])
    return result


def batches(files):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    record = read(queue)
    return tf.train.batch([record.number], 2)


def keys(name):
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(9, [tf.string], shapes=())
        session.run(queue.enqueue([name]))
        queue.close().run()
        result = read(queue)
        found = []
        for number in range(3):
            key, values = session.run([result.key, result.number])
            found.append((key.decode().partition(".bin")[2], values.tolist()))
        try:
            session.run([result.key, result.number])
        except tf.errors.OutOfRangeError:
            return found


assert keys(BINARY[1]) == [(":0", [10, 11, 12, 13, 14, 15]), (":1", [11, 12, 13, 14, 15, 16]), (":2", [12, 13, 14, 15, 16, 17])]
FETCHED = [batches(BINARY)]
