"""Large batches with little computation: a step takes as long as it takes to get its 64 MB to the towers.

    legacy-towers train examples/large_feed.py --towers 4 --input feed --steps 20
    python examples/large_feed.py --towers 4 --input feed:background --steps 20

Each of 4 towers gets 256 rows of 16,384 floats (16 MB) for a linear classifier of 8 classes. The rows are in aligned
memory (`lt.inputs.aligned_empty`), which TensorFlow uses without a copy, so that `feed` copies nothing. With --shuffle
each batch is copied once, from its rows to the memory that is fed.
"""
import sys

import numpy as np

import legacy_towers as lt
from legacy_towers.compat import tf

CLASSES = 8


def make_rows(rows, columns, seed=0):
    """Returns {"x": float32 [rows, columns], "label": int64 [rows]}: a pattern per class plus noise."""
    random = np.random.RandomState(seed)
    patterns = random.uniform(-1, 1, [CLASSES, columns]).astype(np.float32)
    noise = random.uniform(-1, 1, [2 * columns]).astype(np.float32)
    starts = random.randint(0, columns, [rows])
    labels = np.arange(rows) % CLASSES
    x = lt.inputs.aligned_empty([rows, columns], np.float32)
    for row in range(rows):  # row by row, so that no second array of this size is in memory
        np.add(patterns[labels[row]], noise[starts[row]:starts[row] + columns], out=x[row])
    return {"x": x, "label": labels}


def model_fn(batch, mode):
    """Builds one tower: a linear classifier."""
    columns = batch["x"].shape.as_list()[1]
    weights = tf.get_variable("weights", [columns, CLASSES], initializer=tf.zeros_initializer())
    logits = tf.matmul(batch["x"], weights)
    if mode == lt.PREDICT:
        return lt.TowerOutput(predictions={"label": tf.argmax(logits, axis=1)})
    right = tf.cast(tf.equal(tf.argmax(logits, axis=1), batch["label"]), tf.float32)
    loss = tf.losses.sparse_softmax_cross_entropy(batch["label"], logits)
    return lt.TowerOutput(loss=loss, metrics={"accuracy": right}, predictions=logits)


@lt.job
def large_feed(rows=2048, columns=16384, batch=256, shuffle=False, learning_rate=0.0001):
    """Returns the job. Its arguments are options of the command line, such as --rows."""
    return lt.Job(
        model_fn=model_fn,
        train=lt.Examples.from_arrays(make_rows(rows, columns), shuffle=shuffle, seed=1),
        optimizer=lambda global_step: tf.train.GradientDescentOptimizer(learning_rate),
        input="feed",
        per_tower_batch_size=batch,
        epochs=10,
    )


if __name__ == "__main__":
    sys.exit(lt.main(["train", __file__] + sys.argv[1:]))
