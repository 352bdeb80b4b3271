from legacy_towers.compat import tf


def batches(files, is_training):
    queue = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
    _, record = tf.TFRecordReader().read(queue)
    example = tf.parse_single_example(record, {"id": tf.FixedLenFeature([], tf.int64),
                                               "x": tf.FixedLenFeature([2], tf.float32)})
    x = example["x"]
    number = tf.squeeze(example["id"])
    if is_training:
        half = x * 0.5
        half = tf.reshape(half, [1, 2])
        number, half = tf.train.batch([number, half], 4)
    else:
        half = tf.slice(x, [1], [1])
        number, half = tf.train.batch([number, half], 4, allow_smaller_final_batch=True)
    return {"number": number, "half": half}


FETCHED = [batches(FILES, True), batches(FILES, False)]
