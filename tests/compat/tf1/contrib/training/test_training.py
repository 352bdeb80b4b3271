"""tf.contrib.training; on TensorFlow 1.15 the tests check TensorFlow's own module."""
import hashlib
import os

import numpy as np
import pytest

from legacy_towers.compat import tf

training = tf.contrib.training


def run_queues(fetches, steps):
    """Returns the values of `fetches` in `steps` runs, or fewer where the queues end."""
    results = []
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            for _ in range(steps):
                results.append(session.run(fetches))
        except tf.errors.OutOfRangeError:
            pass
        finally:
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=60)
    return results


def sequences(count, num_epochs=1):
    """Returns (number i, length 1 + i % 7, a vector of that length filled with i), dequeued from a queue."""
    number = tf.train.range_input_producer(count, num_epochs=num_epochs, shuffle=False).dequeue()
    length = 1 + number % 7
    return number, length, tf.fill(tf.expand_dims(length, 0), number)


@pytest.mark.parametrize("as_dict", [False, True], ids=["list", "dict"])
def test_bucket_by_sequence_length_batches_similar_lengths(as_dict):
    number, length, sequence = sequences(40)
    tensors = {"number": number, "sequence": sequence} if as_dict else [number, sequence]
    lengths, batch = training.bucket_by_sequence_length(
        length, tensors, batch_size=4, bucket_boundaries=[3, 5], dynamic_pad=True, allow_smaller_final_batch=True
    )
    numbers, padded = (batch["number"], batch["sequence"]) if as_dict else batch
    seen = []
    for some_lengths, some_numbers, some_padded in run_queues([lengths, numbers, padded], 100):
        assert len({0 if each < 3 else 1 if each < 5 else 2 for each in some_lengths}) == 1
        assert some_padded.shape == (len(some_lengths), max(some_lengths))
        for one_length, one, row in zip(some_lengths, some_numbers, some_padded):
            assert one_length == 1 + one % 7
            np.testing.assert_array_equal(row, [one] * one_length + [0] * (len(row) - one_length))
        seen.extend(some_numbers)
    assert sorted(seen) == list(range(40))


def test_bucket_has_batch_sizes_per_bucket_and_drops_by_keep_input():
    number = tf.train.range_input_producer(24, num_epochs=1, shuffle=False).dequeue()
    which, batch = training.bucket(
        [number, tf.strings.as_string(number)], which_bucket=number % 2, batch_size=[2, 3], num_buckets=2,
        keep_input=tf.not_equal(number % 4, 0), bucket_capacities=[8, 9], shapes=[[], []],
    )  # fmt: skip
    batches = run_queues([which] + batch, 100)
    for bucket, numbers, names in batches:
        assert len(numbers) == [2, 3][bucket]
        assert all(each % 2 == bucket and each % 4 for each in numbers)
        assert [int(each) for each in names] == list(numbers)
    assert sorted(each for row in batches for each in row[1]) == [each for each in range(24) if each % 4]


@pytest.mark.parametrize("as_dict", [False, True], ids=["list", "dict"])
def test_bucket_of_one_tensor_returns_a_tensor_for_a_list(as_dict):
    number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    _, batch = training.bucket({"n": number} if as_dict else [number], which_bucket=0, batch_size=2, num_buckets=1)
    assert [list(each) for each in run_queues(batch["n"] if as_dict else batch, 2)] == [[0, 1], [2, 3]]


def test_bucket_by_sequence_length_of_one_tensor_returns_a_list():
    number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    _, (batch,) = training.bucket_by_sequence_length(tf.constant(1), [number], 2, [3])
    assert [list(each) for each in run_queues(batch, 2)] == [[0, 1], [2, 3]]


def test_bucket_batches_sparse_tensors():
    number = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
    wide = tf.cast(number, tf.int64)
    sparse = tf.SparseTensor(tf.reshape(wide % 3, [1, 1]), tf.reshape(number, [1]), [3])
    _, batch = training.bucket([number, sparse], number // 4, 4, 2)
    batches = run_queues([batch[0], tf.sparse_tensor_to_dense(batch[1])], 2)
    assert len(batches) == 2
    for numbers, dense in batches:
        expected = np.zeros([4, 3], np.int32)
        expected[np.arange(4), numbers % 3] = numbers
        np.testing.assert_array_equal(dense, expected)


@pytest.mark.parametrize(
    "boundaries, error",
    [([], ValueError), ([3, 2], ValueError), ([3, 3], ValueError), (5, TypeError), ([1.5, 2.5], TypeError)],
    ids=["empty", "decreasing", "repeated", "not a list", "floats"],
)
def test_bucket_by_sequence_length_rejects_boundaries(boundaries, error):
    with pytest.raises(error):
        training.bucket_by_sequence_length(tf.constant(1), [tf.constant(1)], 2, boundaries)


@pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
def test_greedy_load_balancing_strategy_balances_bytes(use_resource):
    if use_resource and tf.__version__.startswith("1."):
        pytest.skip("byte_size_load_fn of TensorFlow 1.15 does not support resource variables")
    strategy = training.GreedyLoadBalancingStrategy(2, training.byte_size_load_fn)
    setter = tf.train.replica_device_setter(ps_tasks=2, ps_strategy=strategy)
    tf.get_variable_scope().set_use_resource(use_resource)
    with tf.device(setter):
        variables = [tf.get_variable("v%d" % i, [size]) for i, size in enumerate([100, 10, 20, 200, 5])]
        variables.append(tf.get_variable("scalar", [], tf.float64))
    assert [variable.device for variable in variables] == ["/job:ps/task:%d" % task for task in (0, 1, 1, 1, 0, 0)]


def test_random_strategy_places_by_the_ops_name():
    strategy = training.RandomStrategy(3, seed=7)
    for name in ("a", "b", "some/long/name"):
        operation = tf.no_op(name=name)
        assert strategy(operation) == int(hashlib.md5((name + "_7").encode()).hexdigest(), 16) % 3


def test_hparams_are_parsed_overridden_and_serialized():
    hparams = training.HParams(rate=0.1, layers=[64, 32], name="net", flag=False, count=3, either=None)
    assert hparams.rate == 0.1 and "rate" in hparams and "other" not in hparams
    hparams.parse("rate=1,layers=[1, 2,3],flag=true,name=other")
    assert (hparams.rate, hparams.layers, hparams.flag, hparams.name) == (1.0, [1, 2, 3], True, "other")
    assert type(hparams.rate) is float
    hparams.set_hparam("count", 5)
    hparams.either = "text"
    hparams.add_hparam("late", 2)
    assert hparams.override_from_dict({"late": 4}) is hparams
    hparams.parse_json('{"count": 6}')
    assert hparams.values() == {
        "rate": 1.0, "layers": [1, 2, 3], "name": "other", "flag": True, "count": 6, "either": "text", "late": 4,
    }  # fmt: skip
    assert training.HParams(**hparams.values()).to_json(sort_keys=True) == hparams.to_json(sort_keys=True)
    assert hparams.get("count", 9) == 6 and hparams.get("nothing", 9) == 9
    hparams.del_hparam("late")
    assert not hasattr(hparams, "late")
    assert repr(training.HParams(b=1, a="x")) == "HParams([('a', 'x'), ('b', 1)])"
    assert str(training.HParams(a=1)) == "a=1"


@pytest.mark.parametrize(
    "text",
    ["a", "a=x", "unknown=1", "a=1,a=2", "a=1.5", "text=1,text=2", "l=[1],l=[2]", "b=maybe", "a=[1]", "l=1"],
)
def test_hparams_parse_rejects(text):
    with pytest.raises(ValueError):
        training.HParams(a=1, l=[1, 2], b=True, text="t").parse(text)


@pytest.mark.parametrize("change", [{"a": 1.5}, {"b": 1}, {"text": 3}, {"a": True}, {"l": 1}, {"a": [1]}], ids=str)
def test_override_from_dict_rejects_values_of_the_wrong_type(change):
    with pytest.raises(ValueError):
        training.HParams(a=1, l=[1, 2], b=True, text="t").override_from_dict(change)


def test_parse_values():
    parsed = training.parse_values("a=1,b.c=[x,y],l[2]=4,l[0]=5,e=1e-3,q=0", {
        "a": int, "b.c": str, "l": int, "e": float, "q": bool})  # fmt: skip
    assert parsed == {"a": 1, "b.c": ["x", "y"], "l": {2: 4, 0: 5}, "e": 1e-3, "q": False}
    assert training.parse_values("a=1,z=2", {"a": int}, ignore_unknown=True) == {"a": 1}


def test_rejection_sample_keeps_accepted_examples():
    number = tf.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
    batch = training.rejection_sample(
        [number], lambda tensors: tf.cast(tf.equal(tensors[0] % 3, 0), tf.float32), batch_size=2, runtime_checks=True
    )
    assert [list(row[0]) for row in run_queues(batch, 2)] == [[0, 3], [6, 9]]
    many = training.rejection_sample([tf.constant([[1], [1]])] * 2, lambda tensors: 1.0, 3, enqueue_many=True)
    assert many[0].shape.as_list() == [3, 1]


@pytest.mark.parametrize("initial", [None, [0.5, 0.5]], ids=["estimated", "given"])
def test_stratified_sample_drops_a_class_with_probability_0(initial):
    number = tf.train.range_input_producer(1000, shuffle=False).dequeue()
    [numbers], labels = training.stratified_sample([number], number % 2, [0.0, 1.0], 4, init_probs=initial)
    for some_numbers, some_labels in run_queues([numbers, labels], 3):
        assert list(some_labels) == [1] * 4
        assert all(some_numbers % 2 == 1)


def test_resample_at_rate_and_weighted_resample_repeat_rows():
    rows = tf.constant(np.arange(6, dtype=np.float32))
    rates = tf.constant([0.0, 0.0, 5.0, 0.0, 9.0, 0.0])
    resampled, resampled_by_ten = training.resample_at_rate([rows, 10.0 * rows], rates, seed=3)
    [weighted], applied = training.weighted_resample([rows], tf.constant([0.0, 1.0, 0.0, 1.0, 0.0, 0.0]), 2.0, seed=4)
    with tf.Session() as session:
        session.run([tf.local_variables_initializer(), tf.global_variables_initializer()])
        counts = np.zeros(6)
        for _ in range(300):
            values, values_by_ten = session.run([resampled, resampled_by_ten])
            np.testing.assert_array_equal(10.0 * values, values_by_ten)
            counts += np.bincount(values.astype(int), minlength=6)
        # Means of 300 samples of a Poisson distribution, within 5 standard deviations.
        np.testing.assert_allclose(counts[[2, 4]] / 300, [5.0, 9.0], atol=5 * 3.0 / np.sqrt(300))
        assert counts[[0, 1, 3, 5]].sum() == 0
        values, rate = session.run([weighted, applied])
        assert set(values) <= {1.0, 3.0} and len(rate) == len(values)
        np.testing.assert_allclose(rate, 6.0, rtol=2e-5)  # weight 1, mean weight 1/3, overall rate 2


def test_feeding_queue_runner_enqueues_fed_values():
    queue = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    value = tf.placeholder(tf.int32, [])
    enqueue = queue.enqueue([value])
    given = iter(range(5))

    def feed():
        try:
            return {value: next(given)}
        except StopIteration:
            raise tf.errors.OutOfRangeError(None, None, "done") from None

    tf.train.add_queue_runner(training.FeedingQueueRunner(queue, [enqueue], feed_fns=[feed]))
    assert run_queues(queue.dequeue(), 9) == [0, 1, 2, 3, 4]


def test_create_train_op_transforms_gradients_and_runs_update_ops():
    weights = tf.get_variable("w", [2], initializer=tf.constant_initializer([3.0, 4.0]), use_resource=True)
    loss = tf.reduce_sum(weights * weights) / 2.0  # its gradient is the weights themselves
    step = tf.train.get_or_create_global_step()
    update = tf.assign_add(tf.get_variable("seen", [], initializer=tf.zeros_initializer(), trainable=False), 1.0)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)

    def transform(gradients):
        multiplied = training.multiply_gradients(gradients, {weights: 2.0})
        return training.clip_gradient_norms(multiplied, 1.0)

    train_op = training.create_train_op(
        loss, tf.train.GradientDescentOptimizer(0.5), transform_grads_fn=transform, summarize_gradients=True
    )
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(train_op) == 12.5
        np.testing.assert_allclose(session.run(weights), [3.0 - 0.5 * 0.6, 4.0 - 0.5 * 0.8], rtol=1e-6)
        assert session.run([step, tf.get_default_graph().get_tensor_by_name("seen:0")]) == [1, 1.0]


def test_train_and_evaluate_once(tmp_path):
    folder = str(tmp_path / "logs")
    with tf.Graph().as_default():
        # A resource variable: a ref variable may be read before or after the step.
        weights = tf.get_variable("w", [], initializer=tf.constant_initializer(1.0), use_resource=True)
        train_op = training.create_train_op(weights * weights, tf.train.GradientDescentOptimizer(0.25))
        loss = training.train(
            train_op, folder, hooks=[tf.train.StopAtStepHook(num_steps=2)], save_summaries_steps=None
        )
        assert loss == pytest.approx(0.25)
    with tf.Graph().as_default():
        weights = tf.get_variable("w", [])
        tf.summary.scalar("w", weights)
        values, updates = tf.contrib.metrics.aggregate_metric_map({
            "mean": tf.contrib.metrics.streaming_mean(weights), "count": tf.contrib.metrics.count(weights)
        })  # fmt: skip
        results = training.evaluate_once(
            tf.train.latest_checkpoint(folder), eval_ops=list(updates.values()), final_ops=values,
            hooks=[training.StopAfterNEvalsHook(3), training.SummaryAtEndHook(str(tmp_path / "eval"))],
        )  # fmt: skip
        assert results == {"mean": 0.25, "count": 3.0}
    assert any(name.startswith("events") for name in os.listdir(str(tmp_path / "eval")))
    assert list(training.checkpoints_iterator(folder, timeout=0)) == [tf.train.latest_checkpoint(folder)]
