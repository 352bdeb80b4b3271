"""Runs of canned estimators whose results must equal those of TensorFlow 1.15.

To record the reference file again, on TensorFlow 1.15, from the folder tests/:

    python -m tf1_cases.estimator.canned_runs
"""
import os
import sys
import tempfile

import numpy as np

from legacy_towers.compat import tf

REFERENCE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "reference", "estimator.npz")
NAMES = ("dnn", "dnn_batch_norm", "linear", "dnn_regressor", "both", "baseline", "weighted")
STEPS = 3

_random = np.random.RandomState(0)
FEATURES = {
    "a": _random.rand(12, 2).astype(np.float32),
    "b": _random.rand(12).astype(np.float32),
    "weight": (1 + _random.randint(0, 3, 12)).astype(np.float32),
    "word": np.array(["u", "v", "x"] * 4),
}
CLASSES = _random.randint(0, 2, 12)
NUMBERS = _random.rand(12).astype(np.float32)


def _wide():
    column = tf.feature_column
    words = column.categorical_column_with_vocabulary_list("word", ["u", "v", "x"])
    return [
        column.numeric_column("a", shape=(2,)),
        words,
        column.bucketized_column(column.numeric_column("b"), [0.2, 0.6]),
    ]


def _deep():
    column = tf.feature_column
    words = column.categorical_column_with_vocabulary_list("word", ["u", "v", "x"])
    return [
        column.numeric_column("a", shape=(2,)),
        column.embedding_column(words, 2),
        column.indicator_column(words),
    ]


def make(estimators, name, **options):
    """Returns the estimator `name` of the module `estimators`."""
    if name == "dnn":
        return estimators.DNNClassifier([4, 3], _deep(), n_classes=3, activation_fn=tf.nn.tanh, **options)
    if name == "dnn_batch_norm":
        return estimators.DNNClassifier([4], _deep(), n_classes=3, batch_norm=True, **options)
    if name == "linear":
        return estimators.LinearClassifier(_wide(), **options)
    if name == "weighted":
        return estimators.LinearClassifier(_wide(), weight_column="weight", n_classes=3, **options)
    if name == "dnn_regressor":
        return estimators.DNNRegressor([4], _deep(), optimizer=tf.train.AdamOptimizer, **options)
    if name == "both":
        return estimators.DNNLinearCombinedClassifier(
            linear_feature_columns=_wide(), dnn_feature_columns=_deep(), dnn_hidden_units=[4], **options
        )
    return estimators.BaselineClassifier(**options)


def run(estimators, name, folder, first=None):
    """Trains, evaluates and predicts, with the initial variables `first` if they are given.

    Returns:
      {"first/..", "last/..": variables, "metric/..", "prediction/..": arrays}
    """
    options = {"model_dir": os.path.join(folder, name)}
    labels = NUMBERS if "regressor" in name else CLASSES
    inputs = estimators.inputs.numpy_input_fn
    training = inputs(FEATURES, labels, batch_size=4, num_epochs=None, shuffle=False)
    if first is None:
        make(estimators, name, **options).train(training, steps=1)
    else:
        write_checkpoint(options["model_dir"], first)
    estimator = make(estimators, name, **options)
    found = {"first/" + variable: estimator.get_variable_value(variable) for variable in estimator.get_variable_names()}
    estimator.train(training, steps=STEPS)
    for variable in estimator.get_variable_names():
        found["last/" + variable] = estimator.get_variable_value(variable)
    evaluation = inputs(FEATURES, labels, batch_size=5, shuffle=False)
    for metric, value in estimator.evaluate(evaluation).items():
        found["metric/" + metric] = value
    predicted = list(estimator.predict(inputs(FEATURES, batch_size=5, shuffle=False)))
    for key in predicted[0]:
        values = np.array([one[key] for one in predicted])
        found["prediction/" + key] = values.astype("S") if values.dtype == object else values
    return found


def write_checkpoint(folder, values):
    """Writes `values` as a checkpoint of the step values["global_step"]."""
    with tf.Graph().as_default(), tf.Session() as session:
        variables = {name: tf.Variable(value) for name, value in values.items()}
        session.run(tf.global_variables_initializer())
        os.makedirs(folder)
        saver = tf.train.Saver(variables)
        saver.save(session, os.path.join(folder, "model.ckpt"), int(values["global_step"]), write_meta_graph=False)


def recorded(name):
    """Returns the results of the real tf.estimator for `name`."""
    with np.load(REFERENCE, allow_pickle=False) as file:
        return {key[len(name) + 1 :]: file[key] for key in file.files if key.startswith(name + ":")}


def main():
    import tensorflow

    assert tensorflow.__version__.startswith("1.15"), "records the results of the real tf.estimator of TensorFlow 1.15"
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            for key, value in run(tensorflow.estimator, name, folder).items():
                results["{}:{}".format(name, key)] = value
    np.savez_compressed(REFERENCE, **results)


if __name__ == "__main__":
    sys.exit(main())
