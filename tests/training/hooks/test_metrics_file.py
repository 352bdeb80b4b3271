"""metrics.jsonl: one line per N steps, strict JSON, as if the run had never been killed."""
import json
import os
import time

import damaged_files
import numpy as np
import pytest
from measured_runs import CONFIG, build, model_fn, run

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.inputs.named import make_pipeline
from legacy_towers.training.hooks.metrics_file import MetricsFileHook
from legacy_towers.training.hooks.prometheus import PrometheusHook
from legacy_towers.training.metrics.file import Kept, append, rewind, to_line


def strict(text):
    def refuse(name):
        raise AssertionError("not strict JSON: " + name)

    return [json.loads(line, parse_constant=refuse) for line in text.splitlines()]


def read(path):
    with open(path) as source:
        return strict(source.read())


class Pause(tf.train.SessionRunHook):
    """Waits before each run."""

    def __init__(self, seconds):
        self._seconds = seconds

    def before_run(self, run_context):
        time.sleep(self._seconds)


def train(path, last, start=0, every=4, extra_hooks=(), **options):
    with tf.Graph().as_default():
        step = build(first=start + 1, **options)
        hook = MetricsFileHook(step, path, every)
        run(step, last, [hook] + list(extra_hooks), start)
    return hook


def numbers(records):
    return [(each["step"], each["loss"], each["metrics"]) for each in records]


def test_step_1_and_each_multiple_has_a_line_with_the_numbers_of_its_step(tmp_path):
    path = str(tmp_path / "new" / "metrics.jsonl")
    train(path, 10)
    records = read(path)
    assert numbers(records) == [(n, float(n * n), {"x": float(n)}) for n in (1, 4, 8)]
    assert [each["learning_rate"] for each in records] == [0.5] * 3
    assert records[0]["examples_per_second"] is None and records[0]["input_wait"] is None
    assert all(0 <= each["input_wait"] <= 1 for each in records[1:])


def test_examples_per_second_are_those_of_all_towers_since_the_line_before(tmp_path):
    path = str(tmp_path / "metrics.jsonl")
    begun = time.perf_counter()
    train(path, 10, extra_hooks=[Pause(0.05)])
    whole = time.perf_counter() - begun
    for before, after in zip(read(path)[:2], read(path)[1:]):
        steps = after["step"] - before["step"]
        assert steps * 6 / whole < after["examples_per_second"] < 6 / 0.05


def test_a_killed_and_resumed_run_has_the_lines_of_one_that_was_not(tmp_path):
    whole, killed = str(tmp_path / "whole.jsonl"), str(tmp_path / "killed.jsonl")
    train(whole, 20)
    hook = train(killed, 13)
    hook.on_evaluation(5, {"accuracy": 0.5})
    hook.on_evaluation(13, {"accuracy": 0.75})
    with open(killed, "a") as file:
        file.write('{"step": 16, "lo')
    with pytest.warns(UserWarning, match="1 damaged or incomplete line was removed"):
        train(killed, 20, start=6)  # the newest checkpoint was that of step 6
    records = read(killed)
    assert numbers([each for each in records if "loss" in each]) == numbers(read(whole))
    assert [each["evaluation"] for each in records if "evaluation" in each] == [{"accuracy": 0.5}]


def test_an_evaluation_is_written_once_for_each_step(tmp_path):
    path = str(tmp_path / "metrics.jsonl")
    hook = train(path, 2)
    for _ in range(2):
        hook.on_evaluation(2, {"loss": 0.5, "accuracy": np.float32(0.25)})
    with tf.Graph().as_default():  # the same command again: the run is complete, and only evaluates
        MetricsFileHook(build(), path, 4).on_evaluation(2, {"loss": 0.5, "accuracy": 0.25})
    assert [each.get("evaluation") for each in read(path)] == [None, {"accuracy": 0.25, "loss": 0.5}]


def test_nan_and_infinity_are_strings(tmp_path):
    path = str(tmp_path / "metrics.jsonl")
    train(path, 4, every=1, values=[np.nan, np.inf, -2, 1])
    records = read(path)
    assert [each["loss"] for each in records] == ["NaN", "Infinity", 4.0, 1.0]
    assert np.isnan(float(records[0]["loss"])) and float(records[1]["loss"]) == np.inf
    assert strict(to_line({"rates": {"a": -np.inf}}).decode("ascii")) == [{"rates": {"a": "-Infinity"}}]


def test_runs_that_do_not_train_are_not_counted_and_take_no_batch(tmp_path):
    path = str(tmp_path / "metrics.jsonl")
    with tf.Graph().as_default():
        step = build()
        hooks = list(step.hooks) + [MetricsFileHook(step, path, 4)]

        with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(config=CONFIG), hooks) as session:
            for _ in range(9):
                session.run(step.global_step)
                session.run([step.train_op, step.loss])
    assert numbers(read(path)) == [(n, float(n * n), {"x": float(n)}) for n in (1, 4, 8)]


def test_lines_wait_in_memory_while_they_can_not_be_written(tmp_path, monkeypatch):
    path = str(tmp_path / "metrics.jsonl")
    hook = train(path, 1)
    real = os.write

    def full(handle, data):
        return real(handle, data[:10]) if b'"step"' in data else real(handle, data)

    monkeypatch.setattr(os, "write", full)
    with pytest.warns(UserWarning, match="metrics.jsonl can't be written: No space left on device; its lines are kept"):
        hook.on_evaluation(2, {"a": 1.0})
    assert numbers(read(path)) == [(1, 1.0, {"x": 1.0})]  # nothing half-written
    monkeypatch.undo()
    hook.on_evaluation(3, {"a": 2.0})
    assert [each["step"] for each in read(path)] == [1, 2, 3]


def test_damaged_lines_in_the_middle_go_and_all_others_stay(tmp_path):
    path = str(tmp_path / "metrics.jsonl")
    good = [to_line({"step": n, "evaluation": {}}) for n in (1, 2, 3)]
    with open(path, "wb") as file:
        file.write(good[0] + b"\0\0\0\n" + b"[1]\n" + good[1] + good[2] + b'{"step": 3')
    assert rewind(path, 2) == Kept(evaluated=2, removed=1, damaged=3)
    with open(path, "rb") as file:
        assert file.read() == good[0] + good[1]
    append(path, good[2])
    assert rewind(path, None) == Kept(3, 0, 0)
    assert rewind(str(tmp_path / "none"), 5) == Kept(None, 0, 0)


class Enough(tf.train.SessionRunHook):
    """Ends the loop once the file has so many lines."""

    def __init__(self, path, lines):
        self._path, self._lines = path, lines

    def after_run(self, run_context, run_values):
        if os.path.exists(self._path) and len(read(self._path)) >= self._lines:
            run_context.request_stop()


def test_asynchronous_towers_have_records_about_every_n_steps(tmp_path):
    path = str(tmp_path / "metrics.jsonl")
    with tf.Graph().as_default():
        x = np.ones([1200], np.float32)
        source = lt.inputs.dataset(lt.Examples.from_arrays({"x": x}), per_tower_batch_size=3)

        step = lt.build_train_step(
            model_fn, source, tf.train.GradientDescentOptimizer(0.0), lt.devices.cpus(2), variables="asynchronous"
        )
        run(step, 10**6, [MetricsFileHook(step, path, 10), Enough(path, 4)])
    tens = [each["step"] // 10 for each in read(path)]
    assert len(tens) == 4 and tens == sorted(set(tens))


@pytest.mark.parametrize("arguments, message", [
    (("m.jsonl", 0), "every is 0: a whole number of at least 1 is needed"),
    (("hdfs://host/m.jsonl", 1), "the metrics file is 'hdfs://host/m.jsonl': name a local one"),
])
def test_wrong_arguments_are_named(arguments, message):
    with tf.Graph().as_default(), pytest.raises(ArgumentError) as caught:
        MetricsFileHook(build(), *arguments)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("pipeline", ["feed", "queue", "dataset", "staged+dataset"])
def test_skipped_records_are_in_the_lines_and_on_the_page_of_prometheus(tmp_path, pipeline):
    examples = lt.Examples.from_tfrecords(
        damaged_files.three_files(tmp_path), damaged_files.parse_number, shuffle=False
    ).skip_bad_records(3)

    def model_fn(batch, mode):
        w = tf.get_variable("w", [], initializer=tf.ones_initializer())
        return lt.TowerOutput(loss=tf.reduce_mean(w * tf.cast(batch["number"], tf.float32)))

    path = str(tmp_path / "metrics.jsonl")
    with tf.Graph().as_default():
        step = lt.build_train_step(
            model_fn, make_pipeline(pipeline, examples, per_tower_batch_size=39, epochs=1),
            tf.train.GradientDescentOptimizer(0.0), lt.devices.cpus(1),
        )
        hooks = [MetricsFileHook(step, path, every=1)]
        with tf.train.MonitoredTrainingSession(hooks=step.hooks + hooks) as session:
            while not session.should_stop():
                session.run(step.train_op)
        numbers = [record["skipped_records"] for record in read(path)]
        assert len(numbers) == 3 and numbers == sorted(numbers) and numbers[-1] == len(damaged_files.BAD)
        prometheus = pytest.importorskip("prometheus_client")
        with PrometheusHook(step, 0) as hook:
            page = prometheus.generate_latest(hook._registry).decode("utf-8")
        assert "legacy_towers_skipped_records 3.0\n" in page


def test_runs_that_skip_no_records_have_no_count(tmp_path):
    with tf.Graph().as_default():
        step = build(steps=1)
        run(step, 1, [MetricsFileHook(step, str(tmp_path / "metrics.jsonl"))])
    assert [list(each) for each in read(str(tmp_path / "metrics.jsonl")) if "skipped_records" in each] == []


def test_a_line_that_is_nested_too_deeply_is_removed(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_bytes(b'{"step": 1}\n' + b"[" * 200000 + b"\n")
    assert rewind(str(path), 5) == Kept(None, 0, 1) and path.read_bytes() == b'{"step": 1}\n'
