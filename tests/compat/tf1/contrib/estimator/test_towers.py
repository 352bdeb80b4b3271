"""replicate_model_fn with two towers, compared with one device; predictors, TPUEstimator and summaries."""
import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1.contrib import estimator as towers
from legacy_towers.compat.tf1.contrib import predictor, summary
from legacy_towers.compat.tf1.estimator import api, tpu

FEATURES = np.arange(8, dtype=np.float32).reshape(8, 1)
LABELS = 3 * FEATURES[:, 0] + 1
DEVICES = ["/cpu:0", "/cpu:1"]
TWO_DEVICES = tf.ConfigProto(device_count={"CPU": 2}, allow_soft_placement=True)


@pytest.fixture(autouse=True)
def quiet():
    tf.logging.set_verbosity(tf.logging.ERROR)


def build(wrap, seen=None):
    def line(features, labels, mode):
        weight = tf.get_variable("weight", [1, 1], initializer=tf.zeros_initializer())
        predicted = tf.squeeze(tf.matmul(features["x"], weight), 1)
        if seen is not None:
            seen.append((predicted.op.name, predicted.device))
        if mode == "infer":
            return api.EstimatorSpec(mode, {"y": predicted})
        loss = tf.losses.mean_squared_error(labels, predicted)
        optimizer = wrap(tf.train.MomentumOptimizer(0.01, 0.9))
        errors = {"error": tf.metrics.mean_absolute_error(labels, predicted)}
        return api.EstimatorSpec(mode, predicted, loss, optimizer.minimize(loss, tf.train.get_global_step()), errors)

    return line


def batches():
    return tf.data.Dataset.from_tensor_slices(({"x": FEATURES}, LABELS)).repeat().batch(4)


def once():
    return tf.data.Dataset.from_tensor_slices(({"x": FEATURES}, LABELS)).batch(4)


def descend(steps):
    weight, speed = 0.0, 0.0
    for step in range(steps):
        rows, labels = FEATURES[step % 2 * 4 :][:4, 0], LABELS[step % 2 * 4 :][:4]
        speed = 0.9 * speed + np.mean(2 * (weight * rows - labels) * rows)
        weight -= 0.01 * speed
    return weight


def test_two_towers_train_as_one_device(tmp_path):
    seen = []
    model_fn = towers.replicate_model_fn(build(towers.TowerOptimizer, seen), devices=DEVICES)
    estimator = api.Estimator(model_fn, str(tmp_path), api.RunConfig(session_config=TWO_DEVICES))
    estimator.train(batches, steps=5)
    assert [(name.split("/")[0], device) for name, device in seen] == [
        ("Squeeze", "/device:CPU:0"),
        ("tower_1", "/device:CPU:1"),
    ]
    assert estimator.get_variable_names() == ["global_step", "weight", "weight/Momentum"]
    np.testing.assert_allclose(estimator.get_variable_value("weight"), [[descend(5)]], rtol=1e-5)
    predicted = descend(5) * FEATURES[:, 0]
    results = estimator.evaluate(once)
    assert results["error"] == pytest.approx(np.mean(np.abs(predicted - LABELS)), rel=1e-5)
    assert results["loss"] == pytest.approx(np.mean((predicted - LABELS) ** 2), rel=1e-5)
    np.testing.assert_allclose([one["y"] for one in estimator.predict(once)], predicted, rtol=1e-5)


@pytest.mark.parametrize(
    "wrap, rows, message",
    [
        (lambda optimizer: optimizer, 4, "Please wrap optimizers with TowerOptimizer"),
        (towers.TowerOptimizer, 3, "Batch size 3 needs to be divisible"),
    ],
    ids=["plain_optimizer", "odd_batch"],
)
def test_replicate_model_fn_rejects_unsuitable_optimizers_and_batches(wrap, rows, message, tmp_path):
    model_fn = towers.replicate_model_fn(build(wrap), devices=DEVICES)
    estimator = api.Estimator(model_fn, str(tmp_path), api.RunConfig(session_config=TWO_DEVICES))
    with pytest.raises(ValueError, match=message):
        estimator.train(lambda: ({"x": tf.constant(FEATURES[:rows])}, tf.constant(LABELS[:rows])), steps=1)


def test_predictor_from_saved_model_and_from_estimator(tmp_path):
    estimator = api.Estimator(build(lambda optimizer: optimizer), str(tmp_path / "model")).train(batches, steps=2)
    receiver = api.export.build_raw_serving_input_receiver_fn({"x": tf.placeholder(tf.float32, [None, 1], name="x")})
    folder = estimator.export_savedmodel(str(tmp_path / "export"), receiver).decode()
    for ask in (predictor.from_saved_model(folder), predictor.from_estimator(estimator, receiver)):
        np.testing.assert_allclose(ask({"x": [[2.0]]})["y"], [2 * descend(2)], rtol=1e-5)
        with pytest.raises(ValueError, match="Got unexpected keys"):
            ask({"z": 1})


def test_tpu_estimator_trains_with_use_tpu_false(tmp_path):
    def model_fn(features, labels, mode, params):
        assert params["use_tpu"] is False and params["batch_size"] == 4
        spec = build(lambda optimizer: optimizer)(features, labels, mode)
        metrics = (lambda y, p: {"error": tf.metrics.mean_absolute_error(y, p)}, [labels, spec.predictions])
        return tpu.TPUEstimatorSpec(mode, spec.predictions, spec.loss, spec.train_op, metrics)

    def input_fn(params):
        return tf.data.Dataset.from_tensor_slices(({"x": FEATURES}, LABELS)).batch(params["batch_size"])

    config = tpu.RunConfig(tpu_config=tpu.TPUConfig(iterations_per_loop=7), model_dir=str(tmp_path))
    options = dict(use_tpu=False, train_batch_size=4, eval_batch_size=4)
    estimator = tpu.TPUEstimator(model_fn, config=config, **options).train(input_fn, max_steps=2)
    predicted = descend(2) * FEATURES[:, 0]
    assert estimator.evaluate(input_fn)["error"] == pytest.approx(np.mean(np.abs(predicted - LABELS)), rel=1e-5)
    with pytest.raises(ValueError, match="TPUs are not supported"):
        tpu.TPUEstimator(model_fn, config=config)


def test_host_call_of_tpu_estimator_spec_writes_summaries(tmp_path):
    def host_call(step, loss):
        writer = summary.create_file_writer(str(tmp_path / "host"))
        with writer.as_default(), summary.always_record_summaries():
            summary.scalar("loss_of_the_step", loss[0], step=step[0])
            return summary.all_summary_ops()

    def model_fn(features, labels, mode, params):
        spec = build(lambda optimizer: optimizer)(features, labels, mode)
        step = tf.reshape(tf.train.get_or_create_global_step(), [1])
        call = (host_call, [step, tf.reshape(spec.loss, [1])])
        given = tpu.TPUEstimatorSpec(mode, spec.predictions, spec.loss, spec.train_op, host_call=call)
        return given.as_estimator_spec()

    api.Estimator(model_fn, str(tmp_path / "model"), params={}).train(batches, steps=3)
    (events,) = (tmp_path / "host").iterdir()
    values = [value for event in tf.train.summary_iterator(str(events)) for value in event.summary.value]
    assert [value.tag for value in values] == ["loss_of_the_step"] * 3
