from legacy_towers.compat import tf


def batches(boundaries):
    n = tf.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
    example = {"n": n, "to": tf.range(n)}
    sizes = [3] * (len(boundaries) + 1)
    return tf.contrib.training.bucket_by_sequence_length(
        n, example, sizes, boundaries, dynamic_pad=True, allow_smaller_final_batch=True, keep_input=n > 1)


lengths, batch = batches([6])
FETCHED = [lengths, batch["n"], batch["to"]]
