"""Canned estimators of tf.contrib.learn trained on TensorFlow 1.15; the checkpoints are in reference/learn/.

To record them again, on TensorFlow 1.15, from the folder tests/:

    python -m tf1_cases.contrib.learn_runs
"""
import os
import shutil
import sys

import numpy as np
from tf1_cases import recorded_cases
from tf1_cases.contrib import feature_columns_cases

from legacy_towers.compat import tf

FOLDER = os.path.join(recorded_cases.FOLDER, "learn")
NUMBERS = os.path.join(FOLDER, "numbers.npz")
WIDE = ("age", "word", "mail", "buckets", "crossed", "with buckets")


def features():
    return feature_columns_cases.features(tf)


def with_labels():
    return features(), tf.constant([[0], [1], [1], [0]])


def with_numbers():
    return features(), tf.constant([0.5, 1.0, -1.0, 2.0])


def columns():
    layers, made = tf.contrib.layers, feature_columns_cases.columns(tf)
    deep = [layers.embedding_column(made[name], 2) for name in ("word", "crossed")]
    return [made[name] for name in WIDE], deep + [layers.one_hot_column(made["mail"]), made["size"]]


def models(learn):
    """Returns name -> (function folder -> estimator, input function)."""
    wide, deep = columns()
    return {
        "both": (
            lambda folder: learn.DNNLinearCombinedClassifier(
                folder, linear_feature_columns=wide, dnn_feature_columns=deep, dnn_hidden_units=[4, 3],
                fix_global_step_increment_bug=True, gradient_clip_norm=2.0,
            ),
            with_labels,
        ),
        "deep": (lambda folder: learn.DNNClassifier([4], deep, folder, n_classes=3), with_labels),
        "wide": (lambda folder: learn.LinearRegressor(wide, folder, gradient_clip_norm=5.0), with_numbers),
    }  # fmt: skip


def outputs(name, estimator):
    """Returns name -> predictions."""
    if name == "wide":
        return {"scores": np.array(list(estimator.predict(input_fn=features)))}
    return {
        "probabilities": np.array(list(estimator.predict_proba(input_fn=features))),
        "classes": np.array(list(estimator.predict(input_fn=features))),
    }


def go_on(name, estimator, input_fn):
    """Trains two more steps and returns the results of an evaluation."""
    estimator.fit(input_fn=input_fn, steps=2)
    return dict(estimator.evaluate(input_fn=input_fn, steps=1))


def recorded(name, part):
    with np.load(NUMBERS, allow_pickle=False) as file:
        prefix = "{}|{}|".format(name, part)
        return {key[len(prefix) :]: file[key] for key in file.files if key.startswith(prefix)}


def copied(name, folder):
    """Returns a copy of a model's folder, for further training."""
    folder = os.path.join(str(folder), name)
    shutil.copytree(os.path.join(FOLDER, name), folder)
    return folder


def main():
    import tempfile

    import tensorflow

    kept = {}
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name, (make, input_fn) in models(tensorflow.contrib.learn).items():
        folder = tempfile.mkdtemp()
        make(folder).fit(input_fn=input_fn, steps=3)
        path = tf.train.latest_checkpoint(folder)
        os.makedirs(os.path.join(FOLDER, name))
        for ending in (".index", ".data-00000-of-00001"):
            shutil.copy(path + ending, os.path.join(FOLDER, name))
        with open(os.path.join(FOLDER, name, "checkpoint"), "w") as file:
            file.write('model_checkpoint_path: "{}"\n'.format(os.path.basename(path)))
        with tempfile.TemporaryDirectory() as other:
            estimator = make(copied(name, other))
            for key, value in outputs(name, estimator).items():
                kept["{}|predicted|{}".format(name, key)] = value
            for key, value in go_on(name, estimator, input_fn).items():
                kept["{}|evaluated|{}".format(name, key)] = value
    np.savez_compressed(NUMBERS, **kept)


if __name__ == "__main__":
    sys.exit(main())
