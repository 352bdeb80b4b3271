"""Linear models by stochastic dual coordinate ascent, compared with TensorFlow 1.15.

The kernel processes the examples of a batch in random order: recorded runs have batches of one example.

To record again, on TensorFlow 1.15, from tests/:

    python -m tf1_cases.contrib.sdca_runs
"""
import itertools
import json
import os
import shutil
import sys
import tempfile

import numpy as np
from tf1_cases import recorded_cases

from legacy_towers.compat import tf

REFERENCE = os.path.join(recorded_cases.FOLDER, "contrib_sdca.npz")
COUNT = 6
DENSE = recorded_cases.values([COUNT, 2], "dense", 2.0)
WORDS = [b"a", b"b", b"c", b"a", b"d", b"b"]
LABELS = np.array([1, 0, 1, 1, 0, 0], np.float32)
NUMBERS = np.array([2, 1, 3, 2, 5, 1], np.float32)
WEIGHTS = np.array([1, 2, 1, 0.5, 1, 1], np.float32)
LOSSES = ("logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss", "poisson_loss")
STEPS = 2 * COUNT


def features_of(index):
    """Returns the features of the examples with the indices in a tensor."""
    ids = tf.gather(np.arange(COUNT), index)
    return {
        "id": tf.as_string(ids),
        "dense": tf.gather(DENSE, index),
        "age": tf.gather(DENSE[:, :1] * 20.0, index),
        "word": tf.reshape(tf.gather(WORDS, index), [-1, 1]),
        "weight": tf.gather(WEIGHTS, index)[:, tf.newaxis],
    }


def one_at_a_time(labels):
    """Returns the input function of training, with batches of one example."""

    def input_fn():
        index = tf.data.Dataset.range(COUNT).repeat().batch(1, drop_remainder=True)
        index = tf.data.make_one_shot_iterator(index).get_next()
        return features_of(index), tf.gather(labels, index)[:, tf.newaxis]

    return input_fn


def all_at_once(labels):
    def input_fn():
        return features_of(tf.constant(np.arange(COUNT))), tf.constant(labels[:, np.newaxis])

    return input_fn


def model(linear_optimizer, loss, batches=None, parts=1, resources=False, **options):
    """Returns name -> value of an SdcaModel after training on `batches`, lists of example indices."""
    options = dict(
        dict(symmetric_l2_regularization=1.0, symmetric_l1_regularization=0.2, adaptive=False),
        loss_type=loss, **options
    )  # fmt: skip
    labels = NUMBERS if loss in ("squared_loss", "poisson_loss") else LABELS
    kinds = np.array([ord(word) - ord(b"a") for word in WORDS])
    with tf.Graph().as_default(), tf.variable_scope("", use_resource=resources):
        chosen = tf.placeholder(tf.int64, [1] if batches is None else [None])
        count = tf.cast(tf.size(chosen), tf.int64)

        def examples_of(index, number):
            sparse = linear_optimizer.SparseFeatureColumn(
                tf.range(tf.cast(number, tf.int64)), tf.gather(kinds, index), 1.0 + 0.5 * tf.cast(index, tf.float32)
            )
            return dict(
                sparse_features=[sparse],
                dense_features=[tf.reshape(tf.gather(DENSE, index), [-1, 2])],
                example_labels=tf.gather(labels, index),
                example_weights=tf.gather(WEIGHTS, index),
                example_ids=tf.as_string(index),
            )

        # Partitioned weights are a list of variables.
        sizes = [4] if parts == 1 else [2, 2]
        words = [tf.get_variable("word_{}".format(i), [size], initializer=tf.zeros_initializer())
                 for i, size in enumerate(sizes)]  # fmt: skip
        dense = tf.get_variable("dense", [2], initializer=tf.zeros_initializer())
        variables = dict(
            sparse_features_weights=[words[0] if parts == 1 else words], dense_features_weights=[dense]
        )
        made = linear_optimizer.SdcaModel(examples_of(chosen, count), variables, options)
        train = made.minimize()
        update = made.update_weights(train)
        everything = examples_of(tf.constant(np.arange(COUNT)), COUNT)
        found = {
            "gap": made.approximate_duality_gap(),
            "loss": made.unregularized_loss(everything),
            "regularized": made.regularized_loss(everything),
            "predictions": made.predictions(everything),
        }
        names = sorted([each.op.name, each.shape.as_list()] for each in tf.global_variables())
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for step in range(STEPS) if batches is None else batches:
                session.run(update, {chosen: [step % COUNT] if batches is None else step})
            found.update({each.op.name: each for each in tf.global_variables()})
            return names, {key: np.asarray(value) for key, value in session.run(found).items()}


def _learn(name, optimizer):
    learn, layers = tf.contrib.learn, tf.contrib.layers
    dense = layers.real_valued_column("dense", dimension=2)
    columns = [
        dense,
        layers.bucketized_column(layers.real_valued_column("age"), [-10.0, 0.0, 15.0]),
        layers.sparse_column_with_keys("word", ["a", "b", "c", "d"]),
    ]
    options = dict(feature_columns=columns, weight_column_name="weight", model_dir=tempfile.mkdtemp())
    if name == "svm":
        made = learn.SVM("id", l1_regularization=0.1, l2_regularization=2.0, **options)
        return made, LABELS.astype(np.int64)
    if name == "classifier":
        return learn.LinearClassifier(optimizer=optimizer, **options), LABELS.astype(np.int64)
    return learn.LinearRegressor(optimizer=optimizer, **options), NUMBERS


def learned(name, linear_optimizer):
    """Returns name -> value of an Estimator of tf.contrib.learn."""
    optimizer = linear_optimizer.SDCAOptimizer("id", symmetric_l1_regularization=0.1, adaptive=False)
    made, labels = _learn(name, optimizer)
    made.fit(input_fn=one_at_a_time(labels), steps=STEPS)
    found = dict(made.evaluate(input_fn=all_at_once(labels), steps=1))
    found.update(_saved(made.model_dir))
    key = "scores" if name == "regressor" else "logits"
    rows = made.predict(input_fn=lambda: all_at_once(labels)()[0], outputs=[key])
    found["predicted"] = [row[key] for row in itertools.islice(rows, COUNT)]
    shutil.rmtree(made.model_dir)
    return _named(found)


def estimated(name, estimator):
    """Returns name -> value of an Estimator of tf.estimator."""
    columns = [
        tf.feature_column.numeric_column("dense", shape=[2]),
        tf.feature_column.bucketized_column(tf.feature_column.numeric_column("age"), [-10.0, 0.0, 15.0]),
        tf.feature_column.categorical_column_with_vocabulary_list("word", ["a", "b", "c", "d"]),
    ]
    optimizer = estimator.experimental.LinearSDCA("id", symmetric_l1_regularization=0.1)
    kind, labels = estimator.LinearRegressor, NUMBERS
    if name == "classifier":
        kind, labels = estimator.LinearClassifier, LABELS
    made = kind(columns, tempfile.mkdtemp(), weight_column="weight", optimizer=optimizer)
    made.train(one_at_a_time(labels), steps=STEPS)
    found = dict(made.evaluate(all_at_once(labels), steps=1))
    found.update(_saved(made.model_dir))
    key = "predictions" if name == "regressor" else "logits"
    found["predicted"] = [row[key] for row in itertools.islice(made.predict(all_at_once(labels)), COUNT)]
    shutil.rmtree(made.model_dir)
    return _named(found)


def _saved(folder):
    reader = tf.train.load_checkpoint(folder)
    # The order of the hash table of examples is undefined.
    names = [name for name in reader.get_variable_to_shape_map() if not name.endswith(("-keys", "-values"))]
    return {name: reader.get_tensor(name) for name in names}


def _named(found):
    return sorted(found), {key: np.asarray(value) for key, value in found.items()}


def cases(linear_optimizer, learn_too=True):
    """Returns name -> function that runs the case."""
    found = {"model " + loss: lambda loss=loss: model(linear_optimizer, loss) for loss in LOSSES}
    found["model weak"] = lambda: model(linear_optimizer, "squared_loss", symmetric_l2_regularization=0.1)
    found["model parts"] = lambda: model(linear_optimizer, "logistic_loss", parts=2)
    found["model shards"] = lambda: model(linear_optimizer, "logistic_loss", num_table_shards=3)
    for name in ("classifier", "regressor"):
        found["estimator " + name] = lambda name=name: estimated(name, tf.estimator)
    for name in ("classifier", "regressor", "svm"):
        found["learn " + name] = lambda name=name: learned(name, linear_optimizer)
    return found


def recorded(name):
    """Returns the recording of the case."""
    with np.load(REFERENCE, allow_pickle=False) as stored:
        names = json.loads(stored["names"].tobytes().decode())[name]
        start = name + ":"
        return names, {key[len(start) :]: stored[key] for key in stored.files if key.startswith(start)}


if __name__ == "__main__":
    if not recorded_cases.is_1_15():
        sys.exit("TensorFlow 1.15 alone has the real one")
    every, arrays = {}, {}
    for case, run in cases(tf.contrib.linear_optimizer).items():
        every[case], numbers = run()
        arrays.update({case + ":" + key: value for key, value in numbers.items()})
    text = np.frombuffer(json.dumps(every, sort_keys=True).encode(), np.uint8)
    np.savez_compressed(REFERENCE, names=text, **arrays)
