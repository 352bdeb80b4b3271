"""Estimator with a model function: steps, checkpoints, metrics, predictions, exports, hooks, towers' strategies."""
import json
import os

import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1.estimator import api
from legacy_towers.compat.tf1.estimator.loops import early_stopping

IS_1_15 = tf.__version__.startswith("1.15")
SYMBOLS = np.arange(8, dtype=np.float32).reshape(8, 1)
LABELS = 3 * SYMBOLS[:, 0] + 1


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    tf.logging.set_verbosity(tf.logging.ERROR)


def line(features, labels, mode, params):
    """The model function of y = w x + b, trained with gradient descent."""
    x = features["x"] if isinstance(features, dict) else features
    weight = tf.get_variable("weight", [1, 1], initializer=tf.zeros_initializer())
    bias = tf.get_variable("bias", [1], initializer=tf.zeros_initializer())
    predicted = tf.squeeze(tf.matmul(x, weight) + bias, 1)
    if mode == api.ModeKeys.PREDICT:
        return api.EstimatorSpec(mode, {"y": predicted, "x": x})
    loss = tf.reduce_mean(tf.square(predicted - labels))
    train_op = tf.train.GradientDescentOptimizer(params["rate"]).minimize(loss, tf.train.get_global_step())
    errors = {"error": tf.metrics.mean_absolute_error(labels, predicted)}
    return api.EstimatorSpec(mode, predicted, loss, train_op, errors)


def batches():
    return tf.data.Dataset.from_tensor_slices(({"x": SYMBOLS}, LABELS)).repeat().batch(4)


def one_epoch():
    return tf.data.Dataset.from_tensor_slices(({"x": SYMBOLS}, LABELS)).batch(3)


def descend(steps, rate=0.01):
    """Computes the training with numpy, over the batches of `batches`; returns the weight and the bias."""
    weight, bias = 0.0, 0.0
    for step in range(steps):
        rows = SYMBOLS[(step % 2) * 4 :][:4, 0]
        error = weight * rows + bias - (3 * rows + 1)
        weight, bias = weight - rate * np.mean(2 * error * rows), bias - rate * np.mean(2 * error)
    return weight, bias


def new_estimator(folder, **options):
    config = api.RunConfig(save_checkpoints_steps=5, **options)
    return api.Estimator(line, str(folder), config, {"rate": 0.01})


def test_training_continues_from_the_latest_checkpoint(tmp_path):
    estimator = new_estimator(tmp_path)
    estimator.train(batches, steps=6)
    new_estimator(tmp_path).train(batches, max_steps=6)
    new_estimator(tmp_path).train(batches, max_steps=10)

    weight, bias = descend(6)
    # Each call begins at the first batch, as on TensorFlow 1.15.
    for step in range(4):
        rows = SYMBOLS[(step % 2) * 4 :][:4, 0]
        error = weight * rows + bias - (3 * rows + 1)
        weight, bias = weight - 0.01 * np.mean(2 * error * rows), bias - 0.01 * np.mean(2 * error)
    assert estimator.get_variable_names() == ["bias", "global_step", "weight"]
    assert estimator.get_variable_value("global_step") == 10
    np.testing.assert_allclose(estimator.get_variable_value("weight"), [[weight]], rtol=1e-5)
    np.testing.assert_allclose(estimator.get_variable_value("bias"), [bias], rtol=1e-5)
    kept = tf.train.get_checkpoint_state(str(tmp_path)).all_model_checkpoint_paths
    # Each call saves at its first step, every five steps, and at its end.
    assert [os.path.basename(path) for path in kept][-3:] == ["model.ckpt-5", "model.ckpt-6", "model.ckpt-10"]


def test_evaluation_and_prediction_use_the_checkpoint(tmp_path):
    estimator = new_estimator(tmp_path).train(batches, steps=5)
    weight, bias = descend(5)
    predicted = weight * SYMBOLS[:, 0] + bias

    results = estimator.evaluate(one_epoch, name="all")
    assert results["global_step"] == 5
    np.testing.assert_allclose(results["error"], np.mean(np.abs(predicted - LABELS)), rtol=1e-5)
    losses = [np.mean((predicted - LABELS)[rows] ** 2) for rows in (slice(0, 3), slice(3, 6), slice(6, 8))]
    np.testing.assert_allclose(results["loss"], np.mean(losses), rtol=1e-5)
    assert estimator.evaluate(one_epoch, steps=1)["loss"] == pytest.approx(losses[0], rel=1e-5)
    (events,) = [name for name in os.listdir(str(tmp_path / "eval_all")) if "tfevents" in name]
    tags = [
        value.tag
        for event in tf.train.summary_iterator(str(tmp_path / "eval_all" / events))
        for value in event.summary.value
    ]
    assert sorted(set(tags)) == ["checkpoint_path", "error", "loss"]

    found = list(estimator.predict(one_epoch, predict_keys=["y"]))
    assert [sorted(one) for one in found] == [["y"]] * 8
    np.testing.assert_allclose([one["y"] for one in found], predicted, rtol=1e-5)
    whole = list(estimator.predict(one_epoch, yield_single_examples=False))
    assert [batch["x"].shape for batch in whole] == [(3, 1), (3, 1), (2, 1)]


def test_an_exported_model_predicts(tmp_path):
    estimator = new_estimator(tmp_path / "model").train(batches, steps=5)
    receiver = api.export.build_raw_serving_input_receiver_fn({"x": tf.placeholder(tf.float32, [None, 1], name="x")})
    folder = estimator.export_savedmodel(str(tmp_path / "export"), receiver, assets_extra={"note.txt": __file__})
    assert os.path.dirname(folder.decode()) == str(tmp_path / "export")
    assert os.path.isfile(os.path.join(folder.decode(), "assets.extra", "note.txt"))
    with tf.Graph().as_default(), tf.Session() as session:
        graph = tf.saved_model.loader.load(session, ["serve"], folder.decode())
        signature = graph.signature_def["serving_default"]
        answer = session.run(signature.outputs["y"].name, {signature.inputs["x"].name: [[2.0]]})
    weight, bias = descend(5)
    np.testing.assert_allclose(answer, [2 * weight + bias], rtol=1e-5)


def test_train_and_evaluate_evaluates_at_the_end_and_exports(tmp_path):
    receiver = api.export.build_raw_serving_input_receiver_fn({"x": tf.placeholder(tf.float32, [None, 1], name="x")})
    exporters = [api.FinalExporter("final", receiver), api.LatestExporter("latest", receiver)]
    evaluation = api.EvalSpec(one_epoch, steps=None, exporters=exporters, throttle_secs=0)
    metrics, exports = api.train_and_evaluate(new_estimator(tmp_path), api.TrainSpec(batches, max_steps=10), evaluation)
    assert metrics["global_step"] == 10
    assert [os.path.basename(os.path.dirname(path.decode())) for path in exports] == ["final", "latest"]
    assert sorted(early_stopping.read_eval_metrics(str(tmp_path / "eval"))) == [5, 10]


def test_early_stopping_hook_stops_training(tmp_path):
    estimator = new_estimator(tmp_path)
    hook = api.experimental.make_early_stopping_hook(estimator, lambda: True, run_every_secs=None, run_every_steps=3)
    estimator.train(batches, hooks=[hook], max_steps=50)
    assert estimator.get_variable_value("global_step") < 10
    assert estimator.get_variable_value("signal_early_stopping/STOP")


def test_warm_start_initializes_variables_from_another_checkpoint(tmp_path):
    new_estimator(tmp_path / "first").train(batches, steps=5)
    second = api.Estimator(line, str(tmp_path / "second"), None, {"rate": 0.0}, str(tmp_path / "first"))
    second.train(batches, steps=1)
    np.testing.assert_allclose(second.get_variable_value("weight"), [[descend(5)[0]]], rtol=1e-5)
    assert second.get_variable_value("global_step") == 1


def test_in_memory_evaluation_uses_the_variables_of_the_training_session(tmp_path):
    estimator = new_estimator(tmp_path)
    hook = api.experimental.InMemoryEvaluatorHook(estimator, one_epoch, every_n_iter=100)
    estimator.train(batches, hooks=[hook], steps=4)
    weight, bias = descend(4)
    metrics = early_stopping.read_eval_metrics(estimator.eval_dir())
    assert sorted(metrics) == [0, 4]
    error = np.mean(np.abs(weight * SYMBOLS[:, 0] + bias - LABELS))
    assert metrics[4]["error"] == pytest.approx(error, rel=1e-5)


@pytest.mark.skipif(IS_1_15, reason="TensorFlow 1.15 has its own tf.estimator")
def test_replicas_of_a_strategy_train_as_one_device(tmp_path):
    devices = ["/cpu:0", "/cpu:1"]
    options = tf.ConfigProto(device_count={"CPU": 2}, allow_soft_placement=True)
    strategy = tf.distribute.MirroredStrategy(devices)
    estimator = new_estimator(tmp_path, train_distribute=strategy, eval_distribute=strategy, session_config=options)
    estimator.train(lambda: tf.data.Dataset.from_tensor_slices(({"x": SYMBOLS}, LABELS)).repeat().batch(2), steps=4)
    np.testing.assert_allclose(estimator.get_variable_value("weight"), [[descend(4)[0]]], rtol=1e-5)
    weight, bias = descend(4)
    error = np.mean(np.abs(weight * SYMBOLS[:, 0] + bias - LABELS))
    # Each replica gets a batch of four: TensorFlow drops batches that don't fill all replicas.
    results = estimator.evaluate(lambda: tf.data.Dataset.from_tensor_slices(({"x": SYMBOLS}, LABELS)).batch(4))
    assert results["error"] == pytest.approx(error, rel=1e-5)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda e: e.train(batches, steps=1, max_steps=1), "Can not provide both steps and max_steps"),
        (lambda e: e.train(batches, steps=0), "Must specify steps > 0, given: 0"),
        (lambda e: e.get_variable_names(), "Could not find trained model in model_dir"),
        (lambda e: e.export_savedmodel("x", lambda: None), "Couldn't find trained model at"),
        (lambda e: api.Estimator(lambda labels: 0), "must include features argument"),
        (lambda e: api.Estimator(lambda features, extra: 0), "has following not expected args"),
        (lambda e: api.Estimator(lambda features: 0, params={}), "does not include params argument"),
        (lambda e: api.Estimator(line, "a", api.RunConfig("b"), {}), "different values"),
        (lambda e: api.RunConfig(save_checkpoints_steps=1, save_checkpoints_secs=1), "cannot be both set"),
        (lambda e: api.RunConfig().replace(master="x"), "Replacing master is not supported"),
        (lambda e: api.EstimatorSpec("train"), "Missing loss"),
        (lambda e: api.EstimatorSpec("infer"), "Missing predictions"),
        (lambda e: api.inputs.numpy_input_fn(SYMBOLS), "shuffle must be provided"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_arguments_are_errors(call, sentence, tmp_path):
    with pytest.raises(ValueError, match=sentence):
        call(new_estimator(tmp_path))


@pytest.mark.parametrize(
    "task, expected",
    [
        (("chief", 0), (True, "grpc://a:1", 1, 3, 0)),
        (("worker", 1), (False, "grpc://c:1", 1, 3, 2)),
        (("ps", 0), (False, "grpc://d:1", 1, 3, 3)),
        (("evaluator", 0), (False, "", 0, 0, None)),
    ],
    ids=lambda value: str(value[0]),
)
def test_run_config_reads_the_task_from_tf_config(task, expected, monkeypatch):
    cluster = {"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1"]}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": {"type": task[0], "index": task[1]}}))
    found = api.RunConfig()
    real = tf.estimator.RunConfig()
    for config in (found, real) if IS_1_15 else (found,):
        numbers = config.is_chief, config.master, config.num_ps_replicas, config.num_worker_replicas
        assert numbers + (config.global_id_in_cluster,) == expected
    if IS_1_15:
        assert found.session_config == real.session_config


@pytest.mark.parametrize("shuffle", [False, True], ids=["in_order", "shuffled"])
def test_numpy_input_fn_yields_batches_across_epochs(shuffle):
    x, y = api.inputs.numpy_input_fn({"x": SYMBOLS}, LABELS, batch_size=3, num_epochs=2, shuffle=shuffle)()
    seen, sizes = [], []
    with tf.Session() as session:
        while True:
            try:
                rows, labels = session.run([x["x"], y])
            except tf.errors.OutOfRangeError:
                break
            np.testing.assert_array_equal(labels, 3 * rows[:, 0] + 1)
            seen += list(rows[:, 0])
            sizes.append(len(rows))
    assert sizes == [3, 3, 3, 3, 3, 1]
    assert (sorted(seen) if shuffle else seen) == (sorted(list(range(8)) * 2) if shuffle else list(range(8)) * 2)


def test_numpy_input_fn_without_end_has_a_static_batch_size():
    x = api.inputs.numpy_input_fn(SYMBOLS, batch_size=3, num_epochs=None, shuffle=True)()
    assert x.shape.as_list() == [3, 1]


def test_train_op_may_be_the_result_of_an_assignment():
    # Under a distribution strategy minimize() returns the assignment to the global step, which is not a tensor.
    step = tf.get_variable("step", [], use_resource=True, initializer=tf.zeros_initializer())
    assigned = step.assign_add(1.0)
    spec = api.EstimatorSpec(api.ModeKeys.TRAIN, loss=tf.constant(1.0), train_op=assigned)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(spec.train_op)
        assert session.run(step) == 1.0
