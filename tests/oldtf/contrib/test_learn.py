"""tf.contrib.learn: words as numbers, tables, estimators on arrays, experiments."""
import os

import numpy as np
import pytest
from oldtf.contrib import learn_runs

from legacy_towers.compat import tf
from legacy_towers.oldtf import tree
from legacy_towers.oldtf.contrib import learn

IS_1_15 = tf.__version__.startswith("1.15")
# On TensorFlow 1.15 the same holds of the real one.
WORLDS = [learn] + ([tf.contrib.learn] if IS_1_15 else [])
DOCUMENTS = ["the cat sat", "the dog sat on the XMLParser's mat", "it's a-b"]
RANDOM = np.random.RandomState(0)
ROWS = RANDOM.normal(size=(90, 2)).astype(np.float32)
CLASSES = (ROWS[:, 0] > 0).astype(np.int64)


@pytest.fixture(autouse=True)
def quiet():
    tf.logging.set_verbosity(tf.logging.ERROR)


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.__name__)
def test_words_become_numbers(world, tmp_path):
    processor = world.preprocessing.VocabularyProcessor(5)
    rows = np.array(list(processor.fit_transform(DOCUMENTS)))
    assert rows.tolist() == [[1, 2, 3, 0, 0], [1, 4, 3, 5, 1], [9, 10, 0, 0, 0]]
    assert rows.dtype == np.int64
    assert len(processor.vocabulary_) == 11
    assert next(processor.reverse([[1, 2, 0]])) == "the cat <UNK>"
    path = os.path.join(str(tmp_path), "vocabulary")
    processor.save(path)
    restored = world.preprocessing.VocabularyProcessor.restore(path)
    assert next(restored.transform(["dog bird"])).tolist() == [4, 0, 0, 0, 0]


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.__name__)
def test_a_configuration_says_what_it_is(world):
    free = tree.module("tensorflow.contrib.learn.python.learn").run_config._DEFAULT_UID_WHITE_LIST
    assert "tf_random_seed" in free
    uids = [world.RunConfig(tf_random_seed=seed, master=master).uid() for seed in (1, 2) for master in ("", "other")]
    assert uids[0] == uids[2] and uids[1] == uids[3] and uids[0] != uids[1]
    assert "_master='other'" in uids[1] and "seed" not in uids[1]
    assert "_tf_random_seed=2" in world.RunConfig(tf_random_seed=2).uid(whitelist=["session_config"])


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.__name__)
def test_rare_words_are_unknown(world):
    processor = world.preprocessing.VocabularyProcessor(3, min_frequency=1)
    assert [row.tolist() for row in processor.fit_transform(DOCUMENTS)] == [[1, 0, 2], [1, 0, 2], [0, 0, 0]]
    found = world.preprocessing.ByteProcessor(4)
    assert [row.tolist() for row in found.transform(["ab", "abcdef"])] == [[97, 98, 0, 0], [97, 98, 99, 100]]


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.__name__)
def test_tables(world, tmp_path):
    path = os.path.join(str(tmp_path), "table.csv")
    with open(path, "w") as file:
        file.write("2,3,a,b\n1.5,2,3,0\n4,5,6,1\n")
    table = world.datasets.base.load_csv_with_header(path, target_dtype=np.int64, features_dtype=np.float32)
    assert table.data.tolist() == [[1.5, 2, 3], [4, 5, 6]] and table.target.tolist() == [0, 1]
    pytest.importorskip("sklearn")
    iris = world.datasets.load_dataset("iris")
    assert iris.data.shape == (150, 4) and iris.target.tolist().count(2) == 50


@pytest.mark.parametrize("name", ["both", "deep", "wide"])
def test_a_checkpoint_of_1_15_predicts_and_goes_on_as_there(name, tmp_path):
    make, input_fn = learn_runs.models(tf.contrib.learn)[name]
    estimator = make(learn_runs.copied(name, tmp_path))
    found = learn_runs.outputs(name, estimator)
    for key, value in learn_runs.recorded(name, "predicted").items():
        np.testing.assert_allclose(found[key], value, rtol=1e-5, atol=1e-6, err_msg=key)
    found = learn_runs.go_on(name, estimator, input_fn)
    expected = learn_runs.recorded(name, "evaluated")
    assert sorted(found) == sorted(expected)
    for key, value in expected.items():  # slots were restored too
        np.testing.assert_allclose(found[key], value, rtol=2e-4, atol=1e-5, err_msg=key)


def test_an_input_without_an_end_is_predicted_once(tmp_path):
    estimator = tf.contrib.learn.Estimator(line, str(tmp_path), params={"rate": 0.1})
    estimator.fit(input_fn=lambda: (tf.constant(ROWS), tf.constant(ROWS[:, 0])), steps=1)
    assert len(list(estimator.predict(input_fn=lambda: tf.constant(ROWS[:7])))) == 7


def line(features, labels, mode, params):
    weight = tf.get_variable("weight", [2, 1], initializer=tf.zeros_initializer())
    predicted = tf.squeeze(tf.matmul(features, weight), 1)
    if mode == "infer":
        return predicted, None, None
    loss = tf.reduce_mean(tf.square(predicted - labels))
    train = tf.train.GradientDescentOptimizer(params["rate"]).minimize(loss, tf.train.get_global_step())
    return predicted, loss, train


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.__name__)
def test_a_model_function_of_three_results_is_fitted_to_arrays(world, tmp_path):
    targets = (2 * ROWS[:, 0] - ROWS[:, 1]).astype(np.float32)
    config = world.RunConfig(save_checkpoints_steps=50, tf_random_seed=1)
    estimator = world.SKCompat(world.Estimator(line, str(tmp_path), config, {"rate": 0.3}))
    estimator.fit(ROWS, targets, batch_size=90, steps=60)
    np.testing.assert_allclose(estimator.predict(ROWS[:4]), targets[:4], atol=1e-3)
    spec = world.MetricSpec(tf.metrics.mean_absolute_error)
    scores = estimator.score(ROWS, targets, metrics={"error": spec})
    assert scores["global_step"] == 60
    assert scores["loss"] < 1e-6 and scores["error"] < 1e-3


@pytest.mark.slow
def test_a_classifier_learns_and_stops_early(tmp_path):
    learn = tree.module("tensorflow.contrib.learn")
    columns = learn.infer_real_valued_columns_from_input(ROWS)
    config = learn.RunConfig(save_checkpoints_steps=10, save_summary_steps=1000, tf_random_seed=1)
    classifier = learn.DNNClassifier([8], columns, str(tmp_path), n_classes=2, gradient_clip_norm=5.0, config=config)
    monitor = learn.monitors.ValidationMonitor(ROWS, CLASSES, every_n_steps=10, early_stopping_rounds=10**6)
    classifier.fit(ROWS, CLASSES, steps=200, batch_size=30, monitors=[monitor])
    assert monitor.best_value is not None
    assert classifier.evaluate(ROWS, CLASSES)["accuracy"] > 0.9
    found = np.array(list(classifier.predict(ROWS)))
    assert np.mean(found == CLASSES) > 0.9
    assert np.array(list(classifier.predict_proba(ROWS))).shape == (90, 2)


@pytest.mark.slow
def test_an_experiment_trains_and_evaluates(tmp_path):
    def input_fn():
        return tf.constant(ROWS), tf.constant(ROWS[:, 0])

    def make(run_config, hparams):
        estimator = learn.Estimator(line, config=run_config, params={"rate": hparams})
        return learn.Experiment(estimator, input_fn, input_fn, train_steps=20, eval_steps=1, min_eval_frequency=10)

    config = learn.RunConfig(model_dir=str(tmp_path), save_checkpoints_steps=100)
    results, exports = learn.learn_runner.run(make, run_config=config, hparams=0.3)
    assert results["global_step"] == 20 and results["loss"] < 0.05 and exports == []


def test_records_are_read_in_batches(tmp_path):
    path = os.path.join(str(tmp_path), "records")
    with tf.python_io.TFRecordWriter(path) as writer:
        for number in range(6):
            feature = {"n": tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))}
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    batch = learn.read_batch_features(
        path, 2, {"n": tf.FixedLenFeature([], tf.int64)}, tf.TFRecordReader, False, num_epochs=1, queue_capacity=9
    )
    found = learn.run_n({"n": batch["n"]}, n=3)
    assert [one["n"].tolist() for one in found] == [[0, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.__name__)
def test_a_model_function_may_make_its_loss_in_every_mode(world, tmp_path):
    def model_fn(features, targets, mode, params):
        weight = tf.get_variable("weight", [2, 1], tf.float64, tf.ones_initializer(tf.float64))
        predicted = tf.reshape(tf.matmul(features, weight), [-1])
        loss = tf.losses.mean_squared_error(targets, predicted)
        train = tf.train.GradientDescentOptimizer(0.0).minimize(loss, tf.train.get_global_step())
        return world.ModelFnOps(mode, {"sum": predicted}, loss, train)

    estimator = world.Estimator(model_fn, str(tmp_path), params={})
    rows = ROWS.astype(np.float64)
    estimator.fit(input_fn=lambda: (tf.constant(rows), tf.constant(rows[:, 0])), steps=2)
    found = list(estimator.predict(x=rows[:5], as_iterable=True))
    np.testing.assert_allclose([one["sum"] for one in found], rows[:5].sum(1), rtol=1e-12)
    assert found[0]["sum"].dtype == np.float64


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.__name__)
def test_input_functions_over_arrays_shuffle_by_themselves(world):
    with tf.Graph().as_default(), tf.Session() as session:
        features, labels = world.io.numpy_input_fn({"x": np.arange(50)}, np.arange(50), batch_size=50, num_epochs=1)()
        tf.train.start_queue_runners(session)
        x, y = session.run([features["x"], labels])
        assert x.tolist() == y.tolist() != sorted(x.tolist()) == list(range(50))


def test_a_canned_model_under_skcompat_gives_all_its_predictions(tmp_path):
    world = tree.module("tensorflow.contrib.learn")
    columns = world.infer_real_valued_columns_from_input(ROWS)
    model = world.SKCompat(world.DNNClassifier([4], columns, str(tmp_path), n_classes=3))
    model.fit(ROWS, CLASSES, steps=2)
    found = model.predict(ROWS)
    assert sorted(found) == ["classes", "logits", "probabilities"]
    assert found["probabilities"].shape == (90, 3) and found["classes"].shape == (90,)


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.__name__)
def test_dbpedia_is_read_from_its_folder(world, tmp_path, monkeypatch):
    folder = tmp_path / "dbpedia_data" / "dbpedia_csv"
    folder.mkdir(parents=True)
    for name in ("train", "test"):
        rows = ('{},"T{}","said, of {}"'.format(number % 14 + 1, number, number) for number in range(1002))
        (folder / (name + ".csv")).write_text("\n".join(rows) + "\n")
    monkeypatch.setenv("TF_EXP_BASE_DIR", str(tmp_path))
    small = world.datasets.load_dataset("dbpedia")
    assert small.train.data.tolist() == [["T0", "said, of 0"], ["T1000", "said, of 1000"]]
    assert small.test.target.tolist() == [1, 1000 % 14 + 1] and small.test.target.dtype == np.int32
    assert world.datasets.load_dataset("dbpedia", size="large").train.data.shape == (1002, 2)


def test_exports_are_found_under_their_old_names(tmp_path):
    saved = tree.module("tensorflow.contrib.learn.python.learn.utils.saved_model_export_utils")
    assert tree.module("tensorflow.contrib.learn").utils.saved_model_export_utils.make_export_strategy
    for stamp in ("1500000001", "1500000003", "1500000002"):
        (tmp_path / stamp).mkdir()
    strategy = saved.make_export_strategy(lambda: None, exports_to_keep=2)
    assert strategy.name == "Servo"
    newest = saved.get_most_recent_export(str(tmp_path))
    assert newest.export_version == 1500000003 and tf.compat.as_str(newest.path) == str(tmp_path / "1500000003")
    saved.garbage_collect_exports(str(tmp_path), 2)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["1500000002", "1500000003"]


def _counting_model(features, labels, mode):
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_mean(tf.square(labels - features * tf.get_variable("w", [], initializer=tf.zeros_initializer())))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def _six_batches():
    return tf.data.Dataset.from_tensor_slices(([[1.0]] * 6, [[2.0]] * 6)).batch(1)


# Each turn trains to the end of the six batches, unless it has fewer steps to train.
@pytest.mark.slow
@pytest.mark.parametrize(
    "options, expected",
    [({}, [6, 12, 18]), ({"train_steps_per_iteration": 4}, [4, 8, 12]), ({"train_steps": 20}, [2, 4, 6])],
    ids=["to the end of data", "steps per iteration", "a tenth of the steps"],
)
def test_experiments_train_and_evaluate_in_turns(tmp_path, options, expected):
    estimator = tf.estimator.Estimator(_counting_model, model_dir=str(tmp_path / "run"))
    world = tree.module("tensorflow.contrib.learn")
    experiment = world.Experiment(estimator, _six_batches, _six_batches, eval_steps=1, **options)
    seen = []

    def goes_on(results, checkpoint_path):
        if results is not None:
            seen.append(results["global_step"])
            assert checkpoint_path.endswith("model.ckpt-%d" % results["global_step"])
        return len(seen) < 3

    results, _ = experiment.continuous_train_and_eval(goes_on)
    assert seen == expected and results["global_step"] == expected[-1]
    assert (tmp_path / "run" / "eval_one_pass").is_dir()


@pytest.mark.slow
def test_experiments_in_turns_end_at_train_steps(tmp_path):
    estimator = tf.estimator.Estimator(_counting_model, model_dir=str(tmp_path / "run"))
    world = tree.module("tensorflow.contrib.learn")
    experiment = world.Experiment(
        estimator, _six_batches, _six_batches, train_steps=10, eval_steps=1, train_steps_per_iteration=6
    )
    assert experiment.continuous_train_and_eval()[0]["global_step"] == 12
