from legacy_towers.compat import tf


def batches(boundaries):
    n = tf.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
    example = {"n": n, "to": tf.range(n)}
    if boundaries:
        _, batch = tf.contrib.training.bucket_by_sequence_length(
            input_length=example["n"], bucket_boundaries=boundaries, tensors=example, batch_size=3,
            keep_input=example["n"] >= 1, dynamic_pad=True, allow_smaller_final_batch=True)
    else:
        batch = tf.train.batch(example, 3, dynamic_pad=True, allow_smaller_final_batch=True)
    return batch


batches([])
FETCHED = [batches([4])["to"]]
