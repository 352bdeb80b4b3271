"""Three inputs per tower with feed_dict: an embedding of handwritten digits, trained with triplets.

    python examples/triplet.py --towers 4 --steps 300
    legacy-towers train examples/triplet.py --towers 2 --input feed

A triplet is a query, a positive (another image of the same digit) and a negative (an image of another digit). The loss
makes the embedding of the positive closer to that of the query than that of the negative. The script has its own loop,
its own placeholders and a plain tf.Session. Besides the three inputs per tower it feeds a keep probability, once for
all towers. The job is the same model for the command line, with any input pipeline.
"""
import argparse
import sys
import time

import numpy as np

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import UserError

PIXELS = 64
PARTS = ("query", "positive", "negative")
MARGIN = 0.5
KEEP_PROBABILITY = 0.9
TEST_EVERY = 5


def load_digits():
    """Returns {"train": (images, labels), "test": ...}: float32 [count, 64] from 0 to 1, int64 [count]."""
    from sklearn.datasets import load_digits as load

    digits = load()
    images, labels = (digits.data / 16.0).astype(np.float32), digits.target.astype(np.int64)
    is_test = np.arange(len(labels)) % TEST_EVERY == 0
    return {"train": (images[~is_test], labels[~is_test]), "test": (images[is_test], labels[is_test])}


def draw_triplets(images, labels, queries, random):
    """Draws a triplet for each row number in `queries`: returns a dict of three arrays, float32 [count, 64]."""
    rows = {digit: np.flatnonzero(labels == digit) for digit in np.unique(labels)}
    others = {digit: np.flatnonzero(labels != digit) for digit in rows}
    indices = {"query": queries, "positive": [], "negative": []}
    for query in queries:
        same = rows[labels[query]]
        indices["positive"].append(random.choice(same[same != query]))
        indices["negative"].append(random.choice(others[labels[query]]))
    return {part: images[indices[part]] for part in PARTS}


def dense(name, inputs, units):
    """Returns the output of a dense layer without activation, float32 [batch, units]."""
    with tf.variable_scope(name):
        weights = tf.get_variable("weights", [inputs.shape[-1], units], initializer=tf.glorot_uniform_initializer())
        biases = tf.get_variable("biases", [units], initializer=tf.zeros_initializer())
        return tf.matmul(inputs, weights) + biases


def embed(images, keep_probability):
    """Returns embeddings, float32 [batch, 32] with rows of norm 1. All calls share one set of variables."""
    with tf.variable_scope("embedding", reuse=tf.AUTO_REUSE):
        hidden = tf.nn.relu(dense("hidden", images, 128))
        hidden = tf.nn.dropout(hidden, rate=1.0 - keep_probability)
        return tf.nn.l2_normalize(dense("out", hidden, 32), axis=1)


def model_fn(batch, mode):
    """Builds one tower."""
    keep_probability = batch.get("keep_probability", KEEP_PROBABILITY if mode == lt.TRAIN else 1.0)
    query, positive, negative = [embed(batch[part], keep_probability) for part in PARTS]
    if mode == lt.PREDICT:
        return lt.TowerOutput(predictions={"embedding": query})
    to_positive = tf.reduce_sum(tf.squared_difference(query, positive), axis=1)
    to_negative = tf.reduce_sum(tf.squared_difference(query, negative), axis=1)
    loss = tf.reduce_mean(tf.nn.relu(to_positive - to_negative + MARGIN))
    return lt.TowerOutput(loss=loss, metrics={"right_order": tf.cast(to_positive < to_negative, tf.float32)})


@lt.job
def triplet(learning_rate=0.003, triplets_per_image=10, seed=1):
    """Returns the job. Its arguments are options of the command line, such as --learning-rate."""
    random = np.random.RandomState(seed)
    data = load_digits()
    triplets = {
        name: draw_triplets(images, labels, np.tile(np.arange(len(labels)), triplets_per_image), random)
        for name, (images, labels) in data.items()
    }
    return lt.Job(
        model_fn=model_fn,
        train=lt.Examples.from_arrays(triplets["train"], seed=seed),
        test=lt.Examples.from_arrays(triplets["test"]),
        optimizer=lambda global_step: tf.train.AdamOptimizer(learning_rate),
        per_tower_batch_size=32,
        epochs=3,
        input="feed",
    )


def retrieval_accuracy(embeddings):
    """Returns the fraction of test images whose nearest training image shows the same digit.

    Args:
      embeddings: {"train": (float32 [count, size], labels), "test": ...}.
    """
    (train, train_labels), (test, test_labels) = embeddings["train"], embeddings["test"]
    # Rows have norm 1: the nearest one has the largest inner product.
    nearest = np.argmax(test.dot(train.T), axis=1)
    return float(np.mean(train_labels[nearest] == test_labels))


def train(towers, steps, per_tower_batch_size, learning_rate=0.003, seed=1):
    """Trains in a plain session.

    Returns:
      Examples per second of all towers (without the first step), the last loss, and the retrieval accuracy before and
      after the training.
    """
    data = load_digits()
    random = np.random.RandomState(seed)

    def feeds():
        images, labels = data["train"]
        while True:
            queries = random.randint(0, len(labels), towers * per_tower_batch_size)
            batch = draw_triplets(images, labels, queries, random)
            yield lt.inputs.Feed(global_batch=batch, shared={"keep_probability": KEEP_PROBABILITY})

    with tf.Graph().as_default():
        tf.set_random_seed(seed)
        placeholders = lt.tower_placeholders(
            {part: tf.TensorSpec([per_tower_batch_size, PIXELS], tf.float32) for part in PARTS},
            towers=towers,
            shared={"keep_probability": tf.TensorSpec([], tf.float32)},
        )
        step = lt.build_train_step(
            model_fn,
            inputs=lt.inputs.from_placeholders(placeholders, feeds),
            optimizer=tf.train.AdamOptimizer(learning_rate),
            devices=lt.devices.cpus(towers),
        )
        print(step.plan.summary())
        # The same variables on one device, to embed the test images.
        images = tf.placeholder(tf.float32, [None, PIXELS])
        embedded = embed(images, keep_probability=1.0)
        with tf.Session(config=lt.session_config(logical_cpus=towers)) as session, step.running(session) as run:

            def accuracy():
                return retrieval_accuracy({
                    name: (session.run(embedded, {images: rows}), labels) for name, (rows, labels) in data.items()
                })

            before = accuracy()
            loss = run(step.loss)
            start = time.time()
            for number in range(2, steps + 1):
                loss = run(step.loss)
                if number % 50 == 0 or number == steps:
                    print("step {}/{}  loss {:.4f}".format(number, steps, loss))
            speed = (steps - 1) * towers * per_tower_batch_size / (time.time() - start)
            return speed, loss, before, accuracy()


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--towers", type=int, default=4, help="number of CPU towers (%(default)s)")
    parser.add_argument("--steps", type=int, default=300, help="%(default)s")
    parser.add_argument("--per-tower-batch-size", type=int, default=32, help="triplets per tower (%(default)s)")
    options = parser.parse_args(arguments)
    tf.logging.set_verbosity(tf.logging.ERROR)  # without deprecation warnings
    if options.steps < 2:
        parser.error("--steps is {}: at least 2 are needed".format(options.steps))
    try:
        speed, loss, before, after = train(options.towers, options.steps, options.per_tower_batch_size)
    except UserError as error:
        print("error: {}".format(error), file=sys.stderr)
        return 2
    print("trained {} steps to a loss of {:.4f}, {:,.0f} examples/s over {} towers".format(
        options.steps, loss, speed, options.towers
    ))
    print("test digits whose nearest training image shows the same digit: {:.4f} (untrained: {:.4f})".format(
        after, before
    ))
    return 0


if __name__ == "__main__":
    sys.exit(main())
