from legacy_towers.compat import tf


def batches(has_twice):
    dataset = tf.data.Dataset.from_tensor_slices(FILES)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)

    def parse(serialized):
        features = tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})
        if has_twice:
            example = [features["id"], features["id"] * 2, features["id"] + 1]
        else:
            example = [features["id"], features["id"] + 1]
        return tuple(example)

    dataset = dataset.map(parse)
    dataset = dataset.batch(2, drop_remainder=True)
    batch = tf.data.make_one_shot_iterator(dataset).get_next()
    return batch[0], batch[-1]


FETCHED = [batches(True), batches(False)]
