"""Cases of tf.contrib.losses and tf.contrib.metrics.

To record again, on TensorFlow 1.15, from tests/:

    python -m tf1_cases.contrib.losses_metrics_cases
"""
from tf1_cases import recorded_cases


def _values(tf, *shape, seed="values"):
    return tf.constant(recorded_cases.values(list(shape), seed, 1.0))


def _loss(name, *arguments, **options):
    """Returns a case: the loss with and without weights, and the loss collection."""

    def case(tf):
        losses = tf.contrib.losses
        predictions, labels = _values(tf, 4, 3), tf.abs(_values(tf, 4, 3, seed="labels"))
        function = getattr(losses, name)
        given = [predictions if each == "p" else labels if each == "l" else each for each in arguments]
        plain = function(*given, **options)
        weighted = function(*given, weights=tf.constant([1.0, 0.0, 2.0, 0.5]), **options)
        return {"plain": plain, "weighted": weighted, "total": losses.get_total_loss()}

    return case


def _log_loss(tf):
    return {"out": tf.contrib.losses.log_loss(tf.nn.sigmoid(_values(tf, 4, 3)), tf.constant([[0.0, 1.0, 1.0]] * 4))}


def _cross_entropies(tf):
    losses = tf.contrib.losses
    logits = _values(tf, 4, 3)
    one_hot = tf.one_hot([0, 2, 1, 1], 3)
    out = {
        "softmax": losses.softmax_cross_entropy(logits, one_hot, label_smoothing=0.1),
        "weighted": losses.softmax_cross_entropy(logits, one_hot, weights=tf.constant([1.0, 2.0, 0.0, 1.0])),
        "sparse": losses.sparse_softmax_cross_entropy(logits, tf.constant([0, 2, 1, 1], tf.int64)),
        "sigmoid": losses.sigmoid_cross_entropy(logits, one_hot, weights=2.0, label_smoothing=0.2),
        "hinge": losses.hinge_loss(logits, one_hot),
        "cosine": losses.cosine_distance(tf.nn.l2_normalize(logits, 1), tf.nn.l2_normalize(one_hot, 1), axis=1),
        "computed": losses.compute_weighted_loss(logits, weights=tf.constant([[1.0], [2.0], [0.0], [1.0]])),
    }
    losses.add_loss(tf.reduce_sum(logits))
    out["count"] = tf.constant(len(losses.get_losses()))
    out["total"] = losses.get_total_loss(add_regularization_losses=False)
    return out


def _metric_learning(tf):
    learning = tf.contrib.losses.metric_learning
    embeddings = tf.nn.l2_normalize(_values(tf, 6, 4), 1)
    other = tf.nn.l2_normalize(_values(tf, 6, 4, seed="others"), 1)
    labels = tf.constant([0, 0, 1, 1, 2, 2])
    return {
        "contrastive": learning.contrastive_loss(tf.constant([1.0, 0, 1, 0, 1, 0]), embeddings, other),
        "triplet": learning.triplet_semihard_loss(labels, embeddings),
        "npairs": learning.npairs_loss(tf.range(6), embeddings, other),
        "lifted": learning.lifted_struct_loss(labels, embeddings),
    }


def _cluster(tf):
    learning = tf.contrib.losses.metric_learning
    return {"cluster": learning.cluster_loss(tf.constant([0, 0, 1, 1]), 1.0 * _values(tf, 4, 3), 1.0)}


def _streaming(make):
    """Returns a case: metrics before and after one update, and the names of their local variables."""

    def case(tf):
        found = make(tf, tf.contrib.metrics)
        out = {"names": tf.constant("|".join(each.op.name for each in tf.local_variables()))}
        for name, (value, update) in found.items():
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)  # recorded_cases runs these in between
            for index, each in enumerate(value if isinstance(value, tuple) else [value]):
                # Some are 0 / 0 before the update.
                each = tf.where(tf.is_nan(each), tf.zeros_like(each) - 7.0, each) if each.dtype.is_floating else each
                out["{} {}".format(name, index)] = tf.stop_gradient(each)
        return out

    return case


_LABELS = [0, 1, 1, 0, 1, 0, 1, 1]
_SCORES = [0.1, 0.9, 0.4, 0.6, 0.8, 0.3, 0.2, 0.7]


def _counts(tf, metrics):
    predictions, labels = tf.constant([1, 1, 0, 0, 1, 0, 0, 1]), tf.constant(_LABELS)
    weights = tf.constant([1.0, 2.0, 0.5, 1.0, 1.0, 3.0, 1.0, 1.0])
    return {
        "accuracy": metrics.streaming_accuracy(predictions, labels),
        "accuracy weighted": metrics.streaming_accuracy(predictions, labels, weights=weights, name="weighted"),
        "precision": metrics.streaming_precision(predictions, labels),
        "recall": metrics.streaming_recall(predictions, labels),
        "tp": metrics.streaming_true_positives(predictions, labels, weights),
        "tn": metrics.streaming_true_negatives(predictions, labels, weights),
        "fp": metrics.streaming_false_positives(predictions, labels, weights),
        "fn": metrics.streaming_false_negatives(predictions, labels, weights),
        "fpr": metrics.streaming_false_positive_rate(predictions, labels),
        "fnr": metrics.streaming_false_negative_rate(predictions, labels),
        "iou": metrics.streaming_mean_iou(predictions, labels, 2),
        "kappa": metrics.cohen_kappa(labels, predictions, 2),
        "count": metrics.count(predictions, weights),
    }


def _thresholds(tf, metrics):
    scores, labels = tf.constant(_SCORES), tf.constant([bool(each) for each in _LABELS])
    given = [0.25, 0.5, 0.75]
    return {
        "auc": metrics.streaming_auc(scores, labels, num_thresholds=20),
        "auc pr": metrics.streaming_auc(scores, labels, num_thresholds=20, curve="PR", name="pr"),
        "dynamic": metrics.streaming_dynamic_auc(tf.cast(labels, tf.int32), scores),
        "precision": metrics.streaming_precision_at_thresholds(scores, labels, given),
        "recall": metrics.streaming_recall_at_thresholds(scores, labels, given),
        "tp": metrics.streaming_true_positives_at_thresholds(scores, labels, given),
        "tn": metrics.streaming_true_negatives_at_thresholds(scores, labels, given),
        "fp": metrics.streaming_false_positives_at_thresholds(scores, labels, given),
        "fn": metrics.streaming_false_negatives_at_thresholds(scores, labels, given),
        "fpr": metrics.streaming_false_positive_rate_at_thresholds(scores, labels, given),
        "fnr": metrics.streaming_false_negative_rate_at_thresholds(scores, labels, given),
        "sensitivity": metrics.streaming_sensitivity_at_specificity(scores, labels, 0.6, num_thresholds=20),
        "specificity": metrics.streaming_specificity_at_sensitivity(scores, labels, 0.6, num_thresholds=20),
        "curve": metrics.streaming_curve_points(tf.cast(labels, tf.int32), scores, num_thresholds=5),
        "at precision": metrics.recall_at_precision(labels, scores, 0.7, num_thresholds=20),
        "at recall": metrics.precision_at_recall(labels, scores, 0.7, num_thresholds=20),
        "f1": metrics.f1_score(labels, scores, num_thresholds=20),
        "histogram": metrics.auc_using_histogram(labels, scores, [0.0, 1.0], nbins=20),
    }


def _means(tf, metrics):
    one, other = _values(tf, 4, 3), _values(tf, 4, 3, seed="others")
    return {
        "mean": metrics.streaming_mean(one),
        "tensor": metrics.streaming_mean_tensor(one),
        "absolute": metrics.streaming_mean_absolute_error(one, other),
        "relative": metrics.streaming_mean_relative_error(one, other, tf.abs(other) + 1.0),
        "squared": metrics.streaming_mean_squared_error(one, other),
        "root": metrics.streaming_root_mean_squared_error(one, other),
        "cosine": metrics.streaming_mean_cosine_distance(
            tf.nn.l2_normalize(one, 1), tf.nn.l2_normalize(other, 1), dim=1
        ),
        "less": metrics.streaming_percentage_less(one, 0.2),
        "covariance": metrics.streaming_covariance(one, other),
        "pearson": metrics.streaming_pearson_correlation(one, other),
        "concat": metrics.streaming_concat(one),
    }


def _at_k(tf, metrics):
    predictions = _values(tf, 4, 5)
    labels = tf.constant([[0], [2], [4], [1]], tf.int64)
    top = tf.constant([[0, 1], [2, 3], [1, 2], [1, 0]], tf.int64)
    return {
        "recall": metrics.streaming_recall_at_k(predictions, tf.reshape(labels, [-1]), 2),
        "sparse recall": metrics.streaming_sparse_recall_at_k(predictions, labels, 2),
        "sparse precision": metrics.streaming_sparse_precision_at_k(predictions, labels, 2),
        "sparse precision of a class": metrics.streaming_sparse_precision_at_k(predictions, labels, 2, class_id=2),
        "average": metrics.streaming_sparse_average_precision_at_k(predictions, labels, 3),
        "top": metrics.streaming_sparse_precision_at_top_k(top, labels),
        "average top": metrics.streaming_sparse_average_precision_at_top_k(top, labels),
        "recall top": metrics.sparse_recall_at_top_k(labels, top),
    }


def _others(tf):
    metrics = tf.contrib.metrics
    one, other = tf.constant([[1, 2, 3], [4, 5, 6]]), tf.constant([[1, 3, 5], [6, 6, 7]])
    dense = tf.sparse_tensor_to_dense
    means = metrics.streaming_mean(_values(tf, 3)), metrics.streaming_mean([1.0, 3.0])
    values, updates = metrics.aggregate_metrics(*means)
    named, _ = metrics.aggregate_metric_map({"a": metrics.streaming_mean([2.0])})
    return {
        "accuracy": metrics.accuracy(tf.constant([1, 2, 3]), tf.constant([1, 0, 3])),
        "confusion": metrics.confusion_matrix([1, 2, 4], [2, 2, 4], num_classes=5),
        "sizes": tf.constant([len(values), len(updates), len(named)]),
        "difference": dense(metrics.set_difference(one, other)),
        "intersection": dense(metrics.set_intersection(one, other)),
        "union": dense(metrics.set_union(one, other)),
        "size": metrics.set_size(metrics.set_union(one, other)),
    }


CASES = {
    "absolute difference": _loss("absolute_difference", "p", "l"),
    "mean squared": _loss("mean_squared_error", "p", "l"),
    "pairwise": _loss("mean_pairwise_squared_error", "p", "l"),
    "log": _log_loss,
    "cross entropies": _cross_entropies,
    "metric learning": _metric_learning,
    "cluster": _cluster,
    "counts": _streaming(_counts),
    "thresholds": _streaming(_thresholds),
    "means": _streaming(_means),
    "at k": _streaming(_at_k),
    "others": _others,
}

if __name__ == "__main__":
    recorded_cases.record("contrib_losses_metrics", CASES)
