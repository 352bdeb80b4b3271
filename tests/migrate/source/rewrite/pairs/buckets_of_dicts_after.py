from legacy_towers.compat import tf


def batches(boundaries):
    dataset = tf.data.Dataset.from_tensor_slices(tf.range(10))
    sizes = [3] * (len(boundaries) + 1)

    def parse(n):
        example = {"n": n, "to": tf.range(n)}
        return n, example, n > 1

    dataset = dataset.map(parse)
    dataset = dataset.filter(lambda length, example, keep: keep)
    dataset = dataset.map(lambda length, example, keep: (length, example))
    dataset = dataset.apply(tf.data.experimental.bucket_by_sequence_length(
        lambda length, example: length, boundaries, sizes))
    dataset = dataset.prefetch(1)
    return tf.data.make_one_shot_iterator(dataset).get_next()


lengths, batch = batches([6])
FETCHED = [lengths, batch["n"], batch["to"]]
