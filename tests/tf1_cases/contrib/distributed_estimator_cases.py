"""Estimators with `train_distribute` and `eval_distribute` in the API of TensorFlow 1.12 to 1.14.

A case is a function of (tf, devices) that yields numbers. All initial values are constants.
"""
import shutil
import tempfile

import numpy as np
from tf1_cases.contrib.strategy_cases import dataset, keras_model, mirrored


def inputs(tf):
    """Returns a dataset of batches, each of which is the batch of one replica."""
    return dataset(tf, 4)


def named_inputs(tf):
    return inputs(tf).map(lambda features, labels: ({"x": features}, labels))


def model_fn(tf, optimizer):
    """Returns the model_fn of a net with a layer and a metric, trained by `optimizer`."""

    def model(features, labels, mode):
        constant = tf.constant_initializer
        hidden = tf.layers.dense(features, 3, tf.nn.tanh, kernel_initializer=constant(0.2), name="hidden")
        out = tf.layers.dense(hidden, 1, kernel_initializer=constant(0.5), name="out")
        loss = tf.losses.mean_squared_error(labels, out)
        if mode == tf.estimator.ModeKeys.EVAL:
            error = tf.metrics.mean_absolute_error(labels, out)
            return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={"error": error})
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer().minimize(
            loss, tf.train.get_or_create_global_step()))

    return model


class Folder(object):
    """Is a new folder for a model, which is removed at the end."""

    def __enter__(self):
        self._path = tempfile.mkdtemp()
        return self._path

    def __exit__(self, *_):
        shutil.rmtree(self._path)


def numbers_of(estimator, names):
    """Yields the sums of variables."""
    for name in names:
        yield np.sum(estimator.get_variable_value(name))


def trained_and_evaluated(tf, devices):
    strategy = mirrored(tf, devices)
    with Folder() as folder:
        config = tf.estimator.RunConfig(folder, train_distribute=strategy, eval_distribute=strategy)
        estimator = tf.estimator.Estimator(model_fn(tf, lambda: tf.train.MomentumOptimizer(0.05, 0.9)), config=config)
        estimator.train(lambda: inputs(tf), steps=4)
        for each in numbers_of(estimator, ["hidden/kernel", "hidden/bias", "out/kernel", "out/bias"]):
            yield each
        found = estimator.evaluate(lambda: inputs(tf), steps=3)
        for name in ("loss", "error", "global_step"):
            yield found[name]


def trained_while_evaluated(tf, devices):
    strategy = mirrored(tf, devices)
    with Folder() as folder:
        config = tf.estimator.RunConfig(folder, train_distribute=strategy)
        estimator = tf.estimator.Estimator(model_fn(tf, lambda: tf.train.AdagradOptimizer(0.2)), config=config)
        tf.estimator.train_and_evaluate(
            estimator, tf.estimator.TrainSpec(lambda: inputs(tf), max_steps=5),
            tf.estimator.EvalSpec(lambda: inputs(tf), steps=4))
        found = estimator.evaluate(lambda: inputs(tf), steps=4)
        for name in ("loss", "error", "global_step"):
            yield found[name]


def canned(tf, devices):
    column = tf.feature_column.numeric_column("x", [2])
    with Folder() as folder:
        config = tf.estimator.RunConfig(folder, train_distribute=mirrored(tf, devices))
        optimizer = tf.train.MomentumOptimizer(0.02, 0.9)
        estimator = tf.estimator.LinearRegressor([column], config=config, optimizer=optimizer)
        estimator.train(lambda: named_inputs(tf), max_steps=4)
        for each in numbers_of(estimator, ["linear/linear_model/x/weights", "linear/linear_model/bias_weights"]):
            yield each
        found = estimator.evaluate(lambda: named_inputs(tf), steps=4)
        for name in ("loss", "average_loss"):
            yield found[name]


def of_keras(tf, devices):
    strategy = mirrored(tf, devices)
    model = keras_model(tf)
    model.compile(tf.train.GradientDescentOptimizer(0.2), "mse", metrics=["mae"])
    with Folder() as folder:
        config = tf.estimator.RunConfig(train_distribute=strategy, eval_distribute=strategy)
        estimator = tf.keras.estimator.model_to_estimator(model, model_dir=folder, config=config)
        estimator.train(lambda: inputs(tf), steps=4)
        found = estimator.evaluate(lambda: inputs(tf), steps=3)
        for name in ("loss", "global_step"):
            yield found[name]


# Case -> (function, versions whose API it has).
CASES = {
    "estimator trained and evaluated": (trained_and_evaluated, ["1.12", "1.13", "1.14"]),
    "estimator trained while evaluated": (trained_while_evaluated, ["1.12", "1.13", "1.14"]),
    "canned estimator": (canned, ["1.12", "1.13", "1.14"]),
    "estimator of keras": (of_keras, ["1.12", "1.13", "1.14"]),
}
