from legacy_towers.compat import tf


def inputs(has_numbers):
    dataset = tf.data.Dataset.from_tensor_slices(FILES)
    dataset = dataset.flat_map(tf.data.TFRecordDataset)
    if has_numbers:
        def parse(serialized):
            xs, numbers = [], []
            for shift in range(3):
                if has_numbers:
                    features = {"x": tf.FixedLenFeature([2], tf.float32), "id": tf.FixedLenFeature([], tf.int64)}
                else:
                    features = {"x": tf.FixedLenFeature([2], tf.float32)}
                features = tf.parse_single_example(serialized, features)
                xs.append(features["x"] + shift)
                if has_numbers:
                    numbers.append(features["id"])
            xs = tf.stack(xs)
            numbers = tf.stack(numbers)
            return xs, numbers

        dataset = dataset.map(parse)
        dataset = dataset.batch(4, drop_remainder=True)
        [x_batch, number_batch] = tf.data.make_one_shot_iterator(dataset).get_next()
        return x_batch, tf.reduce_sum(number_batch, axis=1)
    else:
        def parse(serialized):
            xs, numbers = [], []
            for shift in range(3):
                if has_numbers:
                    features = {"x": tf.FixedLenFeature([2], tf.float32), "id": tf.FixedLenFeature([], tf.int64)}
                else:
                    features = {"x": tf.FixedLenFeature([2], tf.float32)}
                features = tf.parse_single_example(serialized, features)
                xs.append(features["x"] + shift)
                if has_numbers:
                    numbers.append(features["id"])
            xs = tf.stack(xs)
            return xs

        dataset = dataset.map(parse)
        dataset = dataset.batch(4, drop_remainder=True)
        x_batch = tf.data.make_one_shot_iterator(dataset).get_next()
        return x_batch, tf.zeros([4])


FETCHED = inputs(True) + inputs(False)
