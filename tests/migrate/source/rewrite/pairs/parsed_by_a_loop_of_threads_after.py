from legacy_towers.compat import tf


def parse(serialized, thread_id):
    features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
    return features["id"]


def batches(threads):
    dataset = tf.data.Dataset.from_tensor_slices(FILES)
    dataset = dataset.shuffle(tf.size(FILES, out_type=tf.int64))
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse_example(serialized):
        number = parse(serialized, 0)
        return number, number * 2

    dataset = dataset.map(parse_example, num_parallel_calls=threads)
    dataset = dataset.shuffle(20)
    dataset = dataset.batch(5)
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


FETCHED = batches(threads=3)
