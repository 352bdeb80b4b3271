from legacy_towers.compat import tf


def batches(boundaries):
    dataset = tf.data.Dataset.from_tensor_slices(tf.range(10))

    def parse(n):
        example = {"n": n, "to": tf.range(n)}
        return example

    dataset = dataset.map(parse)
    if boundaries:
        dataset = dataset.map(lambda example: (example["n"], example, example["n"] >= 1))
        dataset = dataset.filter(lambda length, example, keep: keep)
        dataset = dataset.map(lambda length, example, keep: (length, example))
        dataset = dataset.apply(tf.data.experimental.bucket_by_sequence_length(
            lambda length, example: length, boundaries, [3] * (len(boundaries) + 1)))
        _, batch = tf.data.make_one_shot_iterator(dataset).get_next()
    else:
        dataset = dataset.padded_batch(3, tf.data.get_output_shapes(dataset))
        batch = tf.data.make_one_shot_iterator(dataset).get_next()
    return batch


batches([])
FETCHED = [batches([4])["to"]]
