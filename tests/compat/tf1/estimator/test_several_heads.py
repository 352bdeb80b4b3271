"""MultiLabelHead and MultiHead, compared with the recording of tf.contrib.estimator on TensorFlow 1.15."""
import numpy as np
import pytest
from tf1_cases import recorded_cases
from tf1_cases.estimator.heads_cases import CASES, FLAGS

from legacy_towers.compat import tf
from legacy_towers.compat.tf1.estimator import api


@pytest.mark.recorded
@pytest.mark.parametrize("name", sorted(CASES))
def test_heads_equal_the_recording_of_1_15(name):
    found = recorded_cases.run(CASES[name])
    assert recorded_cases.differences(found, recorded_cases.recorded("estimator_heads", name)) == []


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: api.MultiLabelHead(1), "n_classes must be > 1"),
        (lambda: api.MultiLabelHead(2, thresholds=[1.0]), "thresholds must be in"),
        (lambda: api.MultiLabelHead(2, label_vocabulary=["u"]), "Length of label_vocabulary"),
        (lambda: api.MultiLabelHead(2, classes_for_class_based_metrics=[2]), "must be in range"),
        (lambda: api.MultiHead([]), "Must specify heads"),
        (lambda: api.MultiHead([api.RegressionHead()]), "must have name"),
        (lambda: api.MultiHead([api.RegressionHead(name="a")], [1.0, 2.0]), "the same size"),
    ],
)
def test_wrong_arguments_are_errors(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_the_loss_of_a_head_has_its_weights_and_regularization():
    labels, logits, more = tf.constant([[1.0], [3.0]]), tf.constant([[2.0], [1.0]]), [tf.constant(0.5)]
    one, other = api.RegressionHead(name="a", weight_column="w"), api.RegressionHead(name="b")
    both = api.MultiHead([one, other], [1.0, 2.0])
    features = {"w": tf.constant([[1.0], [0.5]])}
    losses = [
        other.loss(labels, logits), one.loss(labels, logits, features), other.loss(labels, logits, None, "train", more),
        both.loss(dict(a=labels, b=labels), dict(a=logits, b=logits), features, regularization_losses=more),
    ]
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(losses), [2.5, 1.5, 3.0, 1.5 + 2 * 2.5 + 0.5])


def test_a_head_trains_with_an_optimizer_of_keras():
    with tf.variable_scope("", use_resource=True):  # Keras has no optimizers of reference variables
        step = tf.train.create_global_step()
        kept, other = tf.get_variable("kept", [1], initializer=tf.zeros_initializer()), tf.get_variable("other", [1])
    logits = kept * [[1.0], [2.0]] + 0.0 * other
    optimizer = tf.keras.optimizers.SGD(0.5)
    optimizer.iterations = step
    updated = tf.assign_add(tf.get_variable("n", [], initializer=tf.zeros_initializer(), trainable=False), 1.0)
    spec = api.RegressionHead().create_estimator_spec(
        {}, "train", logits, tf.constant([[1.0], [2.0]]), optimizer, trainable_variables=[kept], update_ops=[updated])
    heads = [api.RegressionHead(name="a"), api.RegressionHead(name="b")]
    both = api.MultiHead(heads).create_estimator_spec(
        {}, "train", tf.concat([logits, logits], 1), {"a": tf.ones([2, 1]), "b": tf.ones([2, 1])},
        tf.keras.optimizers.SGD(0.5), trainable_variables=[kept], update_ops=[])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(spec.train_op)
        assert session.run(kept).tolist() == [0.5 * 5.0] and session.run([step, "n:0"]) == [1, 1.0]
        session.run(both.train_op)
        # The mean loss of both heads has the gradient sum_i x_i (w x_i - 1) * 2.
        assert session.run(kept).tolist() == [2.5 - 0.5 * 2 * (2.5 - 1 + 2 * (5 - 1))]
        assert session.run([step, "n:0"]) == [1, 1.0]


def test_predictions_are_those_of_some_keys():
    head, logits = api.BinaryClassHead(name="a"), tf.constant([[0.0]])
    assert list(head.predictions(logits, ["logistic", "class_ids"])) == ["logistic", "class_ids"]
    found = api.MultiHead([head]).predictions(logits)
    assert {("a", each) for each in head.predictions(logits)} == set(found)
    assert head.loss_reduction == tf.losses.Reduction.SUM_OVER_BATCH_SIZE


@pytest.mark.parametrize("name", ["metrics", "update_metrics"])
def test_metrics_of_keras_are_not_supported_and_the_advice_holds(name):
    head, labels, logits = api.RegressionHead(), tf.constant([[1.0]]), tf.constant([[3.0]])
    advice = r"mode=tf.estimator.ModeKeys.EVAL, \.\.\.\).eval_metric_ops"
    with pytest.raises(NotImplementedError, match="Head." + name + ".*" + advice):
        head.metrics() if name == "metrics" else head.update_metrics({}, {}, logits, labels)
    metrics = head.create_estimator_spec({}, mode=api.ModeKeys.EVAL, logits=logits, labels=labels).eval_metric_ops
    value, update = metrics["prediction/mean"]
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        session.run(update)
        assert session.run(value) == 3.0


def test_labels_out_of_range_fail_when_they_run():
    labels = tf.placeholder(tf.int64, [4, 3])
    loss = api.MultiLabelHead(3).create_loss({}, "train", tf.zeros([4, 3]), labels).training_loss
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="n_classes - 1"):
        session.run(loss, {labels: FLAGS + 1})


@pytest.mark.slow
def test_a_multi_label_model_learns(tmp_path):
    x = np.random.RandomState(0).rand(64, 2).astype(np.float32)
    labels = (x > 0.5).astype(np.int64)
    inputs = api.inputs.numpy_input_fn({"x": x}, labels, batch_size=16, num_epochs=None, shuffle=False)
    column = tf.feature_column.numeric_column("x", shape=(2,))
    head = api.MultiLabelHead(2, name="both")
    config = api.RunConfig(tf_random_seed=1)
    optimizer = tf.train.AdamOptimizer(0.05)
    estimator = api.DNNEstimator(head, [16], [column], str(tmp_path), optimizer=optimizer, config=config)
    estimator.train(inputs, steps=200)
    assert estimator.evaluate(inputs, steps=4)["auc/both"] > 0.95


@pytest.mark.slow
def test_kmeans_finds_two_clusters(tmp_path):
    make = recorded_cases.module("tensorflow.estimator.experimental").KMeans
    points = np.array([[0.0, 0.0], [0.1, 0.0], [9.0, 9.0], [9.1, 9.0]], np.float32)
    kmeans = make(2, str(tmp_path), initial_clusters=points[[0, 2]], use_mini_batch=False, seed=3)

    def inputs():
        return tf.train.limit_epochs(tf.constant(points), num_epochs=1)

    for _ in range(2):
        kmeans.train(inputs)
    np.testing.assert_allclose(kmeans.cluster_centers(), [[0.05, 0.0], [9.05, 9.0]], rtol=1e-5)
    assert list(kmeans.predict_cluster_index(inputs)) == [0, 0, 1, 1]
