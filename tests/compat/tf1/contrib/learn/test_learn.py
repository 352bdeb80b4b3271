"""tf.contrib.learn: preprocessing, datasets, estimators, experiments and exports."""
import functools
import json
import os

import numpy as np
import ports
import pytest
from tf1_cases.contrib import learn_runs

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import tree
from legacy_towers.compat.tf1.contrib import learn

IS_1_15 = tf.__version__.startswith("1.15")
# On TensorFlow 1.15 the tests also check TensorFlow's own module.
MODULES = [learn] + ([tf.contrib.learn] if IS_1_15 else [])
DOCUMENTS = ["the cat sat", "the dog sat on the XMLParser's mat", "it's a-b"]
RANDOM = np.random.RandomState(0)
FEATURES = RANDOM.normal(size=(90, 2)).astype(np.float32)
CLASSES = (FEATURES[:, 0] > 0).astype(np.int64)


@pytest.fixture(autouse=True)
def quiet():
    tf.logging.set_verbosity(tf.logging.ERROR)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_vocabulary_processor_maps_words_to_ids(module, tmp_path):
    processor = module.preprocessing.VocabularyProcessor(5)
    rows = np.array(list(processor.fit_transform(DOCUMENTS)))
    assert rows.tolist() == [[1, 2, 3, 0, 0], [1, 4, 3, 5, 1], [9, 10, 0, 0, 0]]
    assert rows.dtype == np.int64
    assert len(processor.vocabulary_) == 11
    assert next(processor.reverse([[1, 2, 0]])) == "the cat <UNK>"
    path = os.path.join(str(tmp_path), "vocabulary")
    processor.save(path)
    restored = module.preprocessing.VocabularyProcessor.restore(path)
    assert next(restored.transform(["dog bird"])).tolist() == [4, 0, 0, 0, 0]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_run_config_uid_leaves_out_whitelisted_settings(module):
    whitelist = tree.module("tensorflow.contrib.learn.python.learn").run_config._DEFAULT_UID_WHITE_LIST
    assert "tf_random_seed" in whitelist
    uids = [module.RunConfig(tf_random_seed=seed, master=master).uid() for seed in (1, 2) for master in ("", "other")]
    assert uids[0] == uids[2] and uids[1] == uids[3] and uids[0] != uids[1]
    assert "_master='other'" in uids[1] and "seed" not in uids[1]
    assert "_tf_random_seed=2" in module.RunConfig(tf_random_seed=2).uid(whitelist=["session_config"])


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_vocabulary_processor_maps_rare_words_to_unknown(module):
    processor = module.preprocessing.VocabularyProcessor(3, min_frequency=1)
    assert [row.tolist() for row in processor.fit_transform(DOCUMENTS)] == [[1, 0, 2], [1, 0, 2], [0, 0, 0]]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_byte_processor_pads_and_cuts_documents(module):
    processor = module.preprocessing.ByteProcessor(4)
    assert [row.tolist() for row in processor.transform(["ab", "abcdef"])] == [[97, 98, 0, 0], [97, 98, 99, 100]]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_load_csv_with_header_and_load_iris(module, tmp_path):
    path = os.path.join(str(tmp_path), "table.csv")
    with open(path, "w") as file:
        file.write("2,3,a,b\n1.5,2,3,0\n4,5,6,1\n")
    table = module.datasets.base.load_csv_with_header(path, target_dtype=np.int64, features_dtype=np.float32)
    assert table.data.tolist() == [[1.5, 2, 3], [4, 5, 6]] and table.target.tolist() == [0, 1]
    pytest.importorskip("sklearn")
    iris = module.datasets.load_dataset("iris")
    assert iris.data.shape == (150, 4) and iris.target.tolist().count(2) == 50


@pytest.mark.parametrize("name", ["both", "deep", "wide"])
def test_canned_estimators_predict_and_train_from_checkpoints_of_1_15(name, tmp_path):
    make, input_fn = learn_runs.models(tf.contrib.learn)[name]
    estimator = make(learn_runs.copied(name, tmp_path))
    predictions = learn_runs.outputs(name, estimator)
    for key, value in learn_runs.recorded(name, "predicted").items():
        np.testing.assert_allclose(predictions[key], value, rtol=1e-5, atol=1e-6, err_msg=key)
    results = learn_runs.go_on(name, estimator, input_fn)
    expected = learn_runs.recorded(name, "evaluated")
    assert sorted(results) == sorted(expected)
    for key, value in expected.items():  # equal only if slots were restored too
        np.testing.assert_allclose(results[key], value, rtol=2e-4, atol=1e-5, err_msg=key)


def test_predict_stops_after_one_batch_of_a_constant_input(tmp_path):
    estimator = tf.contrib.learn.Estimator(linear_model_fn, str(tmp_path), params={"rate": 0.1})
    estimator.fit(input_fn=lambda: (tf.constant(FEATURES), tf.constant(FEATURES[:, 0])), steps=1)
    assert len(list(estimator.predict(input_fn=lambda: tf.constant(FEATURES[:7])))) == 7


def linear_model_fn(features, labels, mode, params):
    weight = tf.get_variable("weight", [2, 1], initializer=tf.zeros_initializer())
    predicted = tf.squeeze(tf.matmul(features, weight), 1)
    if mode == "infer":
        return predicted, None, None
    loss = tf.reduce_mean(tf.square(predicted - labels))
    train = tf.train.GradientDescentOptimizer(params["rate"]).minimize(loss, tf.train.get_global_step())
    return predicted, loss, train


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_skcompat_fits_a_model_fn_that_returns_a_tuple(module, tmp_path):
    targets = (2 * FEATURES[:, 0] - FEATURES[:, 1]).astype(np.float32)
    config = module.RunConfig(save_checkpoints_steps=50, tf_random_seed=1)
    estimator = module.SKCompat(module.Estimator(linear_model_fn, str(tmp_path), config, {"rate": 0.3}))
    estimator.fit(FEATURES, targets, batch_size=90, steps=60)
    np.testing.assert_allclose(estimator.predict(FEATURES[:4]), targets[:4], atol=1e-3)
    spec = module.MetricSpec(tf.metrics.mean_absolute_error)
    scores = estimator.score(FEATURES, targets, metrics={"error": spec})
    assert scores["global_step"] == 60
    assert scores["loss"] < 1e-6 and scores["error"] < 1e-3


def test_print_tensor_logs_the_first_steps_and_every_n():
    tf.constant(1.0, name="x")
    hook = learn.monitors.PrintTensor(["x"], every_n=4, first_n=2)
    hook.begin()
    is_logged = []
    for _ in range(8):
        is_logged.append(hook.before_run(None) is not None)
        hook.after_run(None, tf.train.SessionRunValues({"x": 1.0}, None, None))
    assert [step for step, logged in enumerate(is_logged) if logged] == [0, 1, 5]


@pytest.mark.slow
def test_dnn_classifier_learns_with_a_validation_monitor(tmp_path):
    learn = tree.module("tensorflow.contrib.learn")
    columns = learn.infer_real_valued_columns_from_input(FEATURES)
    config = learn.RunConfig(save_checkpoints_steps=50, save_summary_steps=1000, tf_random_seed=1)
    classifier = learn.DNNClassifier([8], columns, str(tmp_path), n_classes=2, gradient_clip_norm=5.0, config=config)
    monitor = learn.monitors.ValidationMonitor(FEATURES, CLASSES, every_n_steps=50, early_stopping_rounds=10**6)
    classifier.fit(FEATURES, CLASSES, steps=200, batch_size=30, monitors=[monitor])
    assert monitor.best_value is not None
    assert classifier.evaluate(FEATURES, CLASSES)["accuracy"] > 0.9
    classes = np.array(list(classifier.predict(FEATURES)))
    assert np.mean(classes == CLASSES) > 0.9
    assert np.array(list(classifier.predict_proba(FEATURES))).shape == (90, 2)


@pytest.mark.slow
def test_learn_runner_trains_and_evaluates(tmp_path):
    def input_fn():
        return tf.constant(FEATURES), tf.constant(FEATURES[:, 0])

    def make(run_config, hparams):
        estimator = learn.Estimator(linear_model_fn, config=run_config, params={"rate": hparams})
        return learn.Experiment(estimator, input_fn, input_fn, train_steps=20, eval_steps=1, min_eval_frequency=10)

    config = learn.RunConfig(model_dir=str(tmp_path), save_checkpoints_steps=100)
    results, exports = learn.learn_runner.run(make, run_config=config, hparams=0.3)
    assert results["global_step"] == 20 and results["loss"] < 0.05 and exports == []


def test_read_batch_features_returns_batches_in_order(tmp_path):
    path = os.path.join(str(tmp_path), "records")
    with tf.python_io.TFRecordWriter(path) as writer:
        for number in range(6):
            feature = {"n": tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))}
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    batch = learn.read_batch_features(
        path, 2, {"n": tf.FixedLenFeature([], tf.int64)}, tf.TFRecordReader, False, num_epochs=1, queue_capacity=9,
        num_enqueue_threads=1
    )
    results = learn.run_n({"n": batch["n"]}, n=3)
    assert [result["n"].tolist() for result in results] == [[0, 1], [2, 3], [4, 5]]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_model_fn_may_build_its_loss_in_infer_mode(module, tmp_path):
    def model_fn(features, targets, mode, params):
        weight = tf.get_variable("weight", [2, 1], tf.float64, tf.ones_initializer(tf.float64))
        predicted = tf.reshape(tf.matmul(features, weight), [-1])
        loss = tf.losses.mean_squared_error(targets, predicted)
        train = tf.train.GradientDescentOptimizer(0.0).minimize(loss, tf.train.get_global_step())
        return module.ModelFnOps(mode, {"sum": predicted}, loss, train)

    estimator = module.Estimator(model_fn, str(tmp_path), params={})
    rows = FEATURES.astype(np.float64)
    estimator.fit(input_fn=lambda: (tf.constant(rows), tf.constant(rows[:, 0])), steps=2)
    predictions = list(estimator.predict(x=rows[:5], as_iterable=True))
    np.testing.assert_allclose([prediction["sum"] for prediction in predictions], rows[:5].sum(1), rtol=1e-12)
    assert predictions[0]["sum"].dtype == np.float64


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_numpy_input_fn_shuffles_by_default(module):
    with tf.Graph().as_default(), tf.Session() as session:
        features, labels = module.io.numpy_input_fn({"x": np.arange(50)}, np.arange(50), batch_size=50, num_epochs=1)()
        tf.train.start_queue_runners(session)
        x, y = session.run([features["x"], labels])
        assert x.tolist() == y.tolist() != sorted(x.tolist()) == list(range(50))


def test_skcompat_predicts_all_outputs_of_a_canned_estimator(tmp_path):
    module = tree.module("tensorflow.contrib.learn")
    columns = module.infer_real_valued_columns_from_input(FEATURES)
    model = module.SKCompat(module.DNNClassifier([4], columns, str(tmp_path), n_classes=3))
    model.fit(FEATURES, CLASSES, steps=2)
    predictions = model.predict(FEATURES)
    assert sorted(predictions) == ["classes", "logits", "probabilities"]
    assert predictions["probabilities"].shape == (90, 3) and predictions["classes"].shape == (90,)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_load_dataset_reads_dbpedia_from_its_folder(module, tmp_path, monkeypatch):
    folder = tmp_path / "dbpedia_data" / "dbpedia_csv"
    folder.mkdir(parents=True)
    for name in ("train", "test"):
        rows = ('{},"T{}","text, {}"'.format(number % 14 + 1, number, number) for number in range(1002))
        (folder / (name + ".csv")).write_text("\n".join(rows) + "\n")
    monkeypatch.setenv("TF_EXP_BASE_DIR", str(tmp_path))
    small = module.datasets.load_dataset("dbpedia")
    assert small.train.data.tolist() == [["T0", "text, 0"], ["T1000", "text, 1000"]]
    assert small.test.target.tolist() == [1, 1000 % 14 + 1] and small.test.target.dtype == np.int32
    assert module.datasets.load_dataset("dbpedia", size="large").train.data.shape == (1002, 2)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_export_strategy_passes_on_what_its_function_takes(module):
    calls = []

    def export_with_results(estimator, path, checkpoint_path, eval_result):
        calls.append([estimator, path, checkpoint_path, eval_result])

    def export(estimator, path):
        calls.append([estimator, path])

    for function in (export_with_results, export):
        module.ExportStrategy("name", function).export("estimator", "path", "checkpoint", {"loss": 1.0})
    assert calls == [["estimator", "path", "checkpoint", {"loss": 1.0}], ["estimator", "path"]]


def test_saved_model_export_utils_find_and_delete_exports(tmp_path):
    saved = tree.module("tensorflow.contrib.learn.python.learn.utils.saved_model_export_utils")
    assert tree.module("tensorflow.contrib.learn").utils.saved_model_export_utils.make_export_strategy
    for stamp in ("1500000001", "1500000003", "1500000002"):
        (tmp_path / stamp).mkdir()
    strategy = saved.make_export_strategy(lambda: None, exports_to_keep=2)
    assert strategy.name == "Servo"
    newest = saved.get_most_recent_export(str(tmp_path))
    assert newest.export_version == 1500000003 and tf.compat.as_str(newest.path) == str(tmp_path / "1500000003")
    saved.garbage_collect_exports(str(tmp_path), 2)
    assert sorted(folder.name for folder in tmp_path.iterdir()) == ["1500000002", "1500000003"]


def _one_variable_model_fn(features, labels, mode):
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_mean(tf.square(labels - features * tf.get_variable("w", [], initializer=tf.zeros_initializer())))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def _six_batches():
    return tf.data.Dataset.from_tensor_slices(([[1.0]] * 6, [[2.0]] * 6)).batch(1)


# Each iteration trains to the end of the six batches, unless it has fewer steps to train.
@pytest.mark.slow
@pytest.mark.parametrize(
    "options, expected",
    [({}, [6, 12, 18]), ({"train_steps_per_iteration": 4}, [4, 8, 12]), ({"train_steps": 20}, [2, 4, 6])],
    ids=["to the end of the data", "train_steps_per_iteration", "a tenth of train_steps"],
)
def test_continuous_train_and_eval_alternates(tmp_path, options, expected):
    estimator = tf.estimator.Estimator(_one_variable_model_fn, model_dir=str(tmp_path / "run"))
    module = tree.module("tensorflow.contrib.learn")
    experiment = module.Experiment(estimator, _six_batches, _six_batches, eval_steps=1, **options)
    seen = []

    def predicate(results, checkpoint_path):
        if results is not None:
            seen.append(results["global_step"])
            assert checkpoint_path.endswith("model.ckpt-%d" % results["global_step"])
        return len(seen) < 3

    results, _ = experiment.continuous_train_and_eval(predicate)
    assert seen == expected and results["global_step"] == expected[-1]
    assert (tmp_path / "run" / "eval_one_pass").is_dir()


@pytest.mark.slow
def test_continuous_train_and_eval_stops_at_train_steps(tmp_path):
    estimator = tf.estimator.Estimator(_one_variable_model_fn, model_dir=str(tmp_path / "run"))
    module = tree.module("tensorflow.contrib.learn")
    experiment = module.Experiment(
        estimator, _six_batches, _six_batches, train_steps=10, eval_steps=1, train_steps_per_iteration=6
    )
    assert experiment.continuous_train_and_eval()[0]["global_step"] == 12


def test_checkpoint_and_export_evaluates_and_exports_each_checkpoint(tmp_path):
    module = tree.module("tensorflow.contrib.learn")
    config = tf.estimator.RunConfig(model_dir=str(tmp_path / "run"), save_checkpoints_steps=2)
    estimator = tf.estimator.Estimator(_one_variable_model_fn, config=config)
    exported = []

    def export(estimator, path, checkpoint_path, eval_result):
        exported.append((os.path.basename(checkpoint_path), int(eval_result["global_step"])))
        return path

    options = dict(train_steps=3, eval_steps=1, export_strategies=module.ExportStrategy("mine", export))
    experiment = module.Experiment(estimator, _six_batches, _six_batches, checkpoint_and_export=True, **options)
    results, exports = experiment.train_and_evaluate()
    assert exported == [("model.ckpt-0", 0), ("model.ckpt-2", 2), ("model.ckpt-3", 3)]
    assert results["global_step"] == 3
    assert [tf.compat.as_str(path) for path in exports] == [str(tmp_path / "run" / "export" / "mine")]
    assert (tmp_path / "run" / "eval_intermediate_export").is_dir()


def test_the_master_of_a_cluster_trains_with_a_parameter_server_and_evaluates(tmp_path, monkeypatch):
    module = tree.module("tensorflow.contrib.learn")
    seen = []

    def train(folder):
        config = module.RunConfig(model_dir=str(tmp_path / folder), save_checkpoints_steps=2)
        estimator = tf.estimator.Estimator(_one_variable_model_fn, config=config)
        monkeypatch.setattr(estimator, "evaluate", functools.partial(evaluate, estimator.evaluate))
        options = dict(train_steps=5, eval_steps=1, min_eval_frequency=4)
        experiment = module.Experiment(estimator, _six_batches, _six_batches, **options)
        return module.learn_runner.run(lambda run_config, hparams: experiment, run_config=config)[0]

    def evaluate(call, **options):
        results = call(**options)
        seen.append(results["global_step"])
        return results

    alone = train("alone")
    del seen[:]
    with ports.held(2) as (master, server):
        cluster = {"master": [master], "ps": [server]}
        tf.train.Server(cluster, "ps", 0)
        task = {"type": "master", "index": 0}
        monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": task, "environment": "cloud"}))
        assert train("cluster") == alone
    assert seen[-1] == 5 and alone["global_step"] == 5
    if not IS_1_15:  # which evaluates new checkpoints, but none within 5 seconds
        assert seen == [4, 5]


def test_continuous_eval_takes_its_arguments(tmp_path):
    module = tree.module("tensorflow.contrib.learn")
    estimator = tf.estimator.Estimator(_one_variable_model_fn, model_dir=str(tmp_path / "run"))
    estimator.train(_six_batches, max_steps=2)
    experiment = module.Experiment(estimator, _six_batches, _six_batches, eval_steps=1, eval_delay_secs=1000)
    seen = []

    def predicate(results, checkpoint_path):
        seen.append((results and results["global_step"], checkpoint_path and os.path.basename(checkpoint_path)))
        return len(seen) < 3

    experiment.continuous_eval(0, 0, False, predicate, "again")
    assert seen == [(None, None), (2, "model.ckpt-2"), (2, "model.ckpt-2")]
    assert (tmp_path / "run" / "eval_again").is_dir()
    experiment.continuous_eval_on_train_data(0, 0, lambda results: results is None)
    assert (tmp_path / "run" / "eval_continuous_on_train_data").is_dir()
