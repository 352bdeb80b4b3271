"""Losses, predictions, metrics and gradients of MultiLabelHead and MultiHead, recorded from tf.contrib.estimator.

To record them again, on TensorFlow 1.15, from tests/: python -m tf1_cases.estimator.heads_cases
"""
import numpy as np
from tf1_cases.recorded_cases import module, record, values

CLASSES, BATCH = 3, 4
FLAGS = np.array([[1, 0, 1], [0, 0, 1], [0, 0, 0], [1, 1, 0]])
WORDS = ["u", "v", "w"]


def _heads():
    return module("tensorflow.contrib.estimator")


def _logits(tf, width=CLASSES):
    return tf.get_variable("logits", [BATCH, width])


def _evaluated(tf, head, logits, labels, features=None, **options):
    spec = head.create_estimator_spec(features or {}, "eval", logits, labels, **options)
    found = {"loss": spec.loss}
    found.update((_text(key), value) for key, value in spec.predictions.items())
    found.update(("metric " + key, update) for key, (_, update) in spec.eval_metric_ops.items())
    return found


def _text(key):
    return key if isinstance(key, str) else " ".join(key)


def _sparse(tf, numbers):
    indices = np.argwhere(FLAGS)
    return tf.SparseTensor(indices, tf.constant(numbers(indices[:, 1])), [BATCH, CLASSES])


def _plain(tf):
    return _evaluated(tf, _heads().multi_label_head(CLASSES), _logits(tf), tf.constant(FLAGS))


def _weighted(tf):
    head = _heads().multi_label_head(
        CLASSES, "weight", [0.3, 0.6], loss_reduction=tf.losses.Reduction.SUM, name="topics",
        classes_for_class_based_metrics=[0, 2],
    )  # fmt: skip
    weights = {"weight": tf.constant(np.abs(values([BATCH], "weights")))}
    return _evaluated(tf, head, _logits(tf), tf.constant(FLAGS), weights, regularization_losses=[tf.constant(0.5)])


def _of_numbers(tf):
    labels = _sparse(tf, lambda numbers: numbers)
    return _evaluated(tf, _heads().multi_label_head(CLASSES), _logits(tf), labels)


def _of_words(tf):
    labels = _sparse(tf, lambda numbers: np.array(WORDS)[numbers])
    head = _heads().multi_label_head(CLASSES, label_vocabulary=WORDS, classes_for_class_based_metrics=["v"])
    return _evaluated(tf, head, _logits(tf), labels)


def _several(weights):
    def case(tf):
        heads = _heads()
        head = heads.multi_head(
            [heads.regression_head(label_dimension=2, name="size"), heads.multi_class_head(3, name="kind")], weights
        )
        labels = {"size": tf.constant(values([BATCH, 2], "size")), "kind": tf.constant([[0], [2], [1], [1]])}
        found = _evaluated(tf, head, _logits(tf, 5), labels)
        found["width"] = tf.constant(head.logits_dimension)
        return {key: value for key, value in found.items() if value.dtype != tf.string}

    return case


def _predicted(tf):
    heads = _heads()
    head = heads.multi_head([heads.multi_label_head(2, name="a"), heads.regression_head(name="b")])
    spec = head.create_estimator_spec({}, "infer", {"a": _logits(tf, 2), "b": tf.get_variable("other", [BATCH, 1])})
    found = {_text(key): value for key, value in spec.predictions.items()}
    for names in (spec.export_outputs, spec.export_outputs["predict"].outputs):
        found[" ".join(sorted(names))] = tf.zeros([])
    return found


def _trained(tf):
    heads = _heads()
    head = heads.multi_head([heads.multi_label_head(3, name="a"), heads.multi_label_head(3, name="b")], [0.5, 2.0])
    labels = {"a": tf.constant(FLAGS), "b": tf.constant(1 - FLAGS)}
    tf.train.get_or_create_global_step()
    spec = head.create_estimator_spec(
        {}, "train", _logits(tf, 6), labels, train_op_fn=lambda loss: tf.gradients(loss, tf.trainable_variables())[0]
    )
    return {"loss": spec.loss, "train": spec.train_op}


CASES = {
    "labels": _plain,
    "weights and classes": _weighted,
    "numbers": _of_numbers,
    "words": _of_words,
    "several": _several(None),
    "several weighted": _several([0.5, 2.0]),
    "predictions": _predicted,
    "training": _trained,
}

if __name__ == "__main__":
    record("estimator_heads", CASES)
