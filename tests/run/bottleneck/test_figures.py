"""From watched runs to figures and a verdict, on runs whose times are known."""
import re
import threading

import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.run.bottleneck import figures, output
from legacy_towers.run.bottleneck.verdict import Hottest, parts, verdict
from legacy_towers.run.bottleneck.watch import Fed, Run, Watch

MAIN, OTHER = ("train",), ("accuracy",)


def traced(ops):
    """Returns the RunMetadata of a run with (name, kind, device, begin, end) in microseconds."""
    metadata = tf.RunMetadata()
    for device in sorted({op[2] for op in ops}):
        stats = metadata.step_stats.dev_stats.add(device="/job:localhost/replica:0/task:0/device:" + device)
        for name, kind, where, begin, end in ops:
            if where == device:
                stats.node_stats.add(
                    node_name=name, timeline_label="{} = {}(x)".format(name, kind), all_start_micros=1000 + begin,
                    op_start_rel_micros=0, op_end_rel_micros=end - begin, all_end_rel_micros=end - begin,
                )
    return metadata


# In 100 microseconds: 60 waits alone, 30 computes on one device, 20 on the other, 10 of them together.
OPS = [
    ("q_Dequeue", "QueueDequeueV2", "CPU:0", 0, 70),
    ("a", "MatMul", "CPU:0", 60, 90),
    ("b", "MatMul", "CPU:1", 80, 100),
]


def script(steps, run=10, python=5, other=0, converting=0, ops=OPS, fed=()):
    """Returns the runs of a script with times in milliseconds; each fifth is traced."""
    runs, now = [], 0.0
    for step in range(steps):
        metadata = traced(ops) if ops and step % 5 == 4 else None
        end = now + run / 1e3
        runs.append(Run(MAIN, 1, now, end, converting / 1e3, list(fed), metadata, tf.get_default_graph()))
        now = end + python / 1e3
        if other:
            runs.append(Run(OTHER, 1, now, now + other / 1e3, 0.0, [], metadata, tf.get_default_graph()))
            now += other / 1e3
    return runs


def test_the_parts_of_a_step_are_computed_from_times_and_traces():
    found = figures.of_runs(script(31, run=10, python=5, other=3, converting=1), warm_up=5)
    assert found.fetched == MAIN
    assert found.step == pytest.approx(18) and found.run == pytest.approx(10)
    assert found.python == pytest.approx(5) and found.other == pytest.approx(3)
    assert found.converting == pytest.approx(1)
    # The trace gives the shares of the rest of the run, 9 ms.
    assert found.waiting == pytest.approx(9 * 0.6) and found.computing == pytest.approx(9 * 0.4)
    assert found.devices == pytest.approx({"/cpu:0": 9 * 0.3, "/cpu:1": 9 * 0.2})
    assert found.input_ops == [("q_Dequeue", pytest.approx(9 * 0.6))]
    assert found.others == [(OTHER, pytest.approx(3))]
    assert sum(parts(found).values()) == pytest.approx(found.step)


def test_steps_with_a_trace_and_the_warm_up_are_left_out():
    runs = script(21)
    slow = [run._replace(end=run.end + 1) if run.metadata is not None or run.start < 0.06 else run for run in runs]
    found = figures.of_runs(slow, warm_up=5)
    assert found.step == pytest.approx(15) and found.traces == 3


def test_the_step_is_the_kind_of_run_that_takes_most_time():
    found = figures.of_runs(script(20, run=2, python=0, other=8), warm_up=0)
    assert found.fetched == OTHER and found.other == pytest.approx(2)


def test_enqueue_runs_are_not_the_step():
    fill = [run._replace(fetched=("enqueue",), thread=2, counts=False) for run in script(200, run=20)]
    assert figures.of_runs(script(31, run=10) + fill, warm_up=5).fetched == MAIN
    assert figures.of_runs(fill, warm_up=5).fetched == ("enqueue",)


def test_runs_of_other_threads_are_not_other_session_runs():
    runs = script(20)
    runs += [Run(("enqueue",), 2, at, at + 1e-3, 0, [], None, tf.get_default_graph()) for at in np.arange(0, 0.2, 0.01)]
    assert figures.of_runs(runs, warm_up=0).others == []


@pytest.mark.parametrize("runs", [[], script(2)], ids=["none", "two"])
def test_too_few_runs_raise_an_error(runs):
    with pytest.raises(ValueError, match="three times"):
        figures.of_runs(runs, warm_up=0)


def test_runs_without_a_trace_raise_an_error():
    with pytest.raises(ValueError, match="no step was traced"):
        figures.of_runs(script(20, ops=[]), warm_up=0)


def test_a_trace_without_ops_is_ignored():
    runs = script(31)
    runs[9] = runs[9]._replace(metadata=tf.RunMetadata())
    assert figures.of_runs(runs, 0).devices == pytest.approx({"/cpu:0": 10 * 0.3, "/cpu:1": 10 * 0.2})


@pytest.mark.parametrize("keywords, begins, contains", [
    pytest.param({"run": 10, "python": 1}, "55% of a step (6 of 11 ms) waits for input at q_Dequeue",
                 "2.2 times as fast", id="input"),
    pytest.param({"run": 10, "python": 30}, "75% of a step (30 of 40 ms) is Python between the session runs, 60% of it "
                 "at train.py:7 (batch)", "4 times as fast", id="python"),
    pytest.param({"run": 10, "python": 0, "converting": 8, "fed": [Fed("x:0", 8, True, True)]},
                 "80% of a step (8 of 10 ms) converts the values fed to x:0 to arrays", "5 times as fast", id="feeds"),
    pytest.param({"run": 10, "python": 0, "ops": [("a", "MatMul", "CPU:0", 0, 50), ("b", "MatMul", "CPU:1", 50, 100)]},
                 "100% of a step (10 of 10 ms) computes, but the devices compute one after the other",
                 "/cpu:0 50%, /cpu:1 50%", id="in-turns"),
    pytest.param({"run": 10, "python": 0, "ops": [("a", "MatMul", "CPU:0", 0, 90), ("b", "MatMul", "CPU:1", 0, 100)]},
                 "100% of a step (10 of 10 ms) computes (/cpu:0 90%, /cpu:1 100% of a run)",
                 "waits for it 0.0% of the time",
                 id="computes"),
    pytest.param({"run": 10, "python": 0, "ops": [("a", "MatMul", "CPU:0", 0, 10), ("b", "NoOp", "CPU:0", 99, 100)]},
                 "90% of a step (9 of 10 ms) is TensorFlow's overhead", "larger batches", id="overhead"),
])
def test_the_verdict_names_the_largest_part(keywords, begins, contains):
    sentence = verdict(figures.of_runs(script(21, **keywords), 0), Hottest("/x/train.py", 7, "batch", 0.6))
    assert sentence.startswith(begins) and contains in sentence


def test_the_verdict_names_what_makes_devices_wait_for_each_other():
    with tf.device("/cpu:0"):
        a = tf.constant(1.0, name="a")
    with tf.device("/cpu:1"), tf.control_dependencies([a]):
        tf.identity(tf.constant(2.0), name="b")
    ops = [("a", "MatMul", "CPU:0", 0, 50), ("b", "MatMul", "CPU:1", 50, 100)]
    sentence = verdict(figures.of_runs(script(21, run=10, python=0, ops=ops), 0))
    assert "(/cpu:0 50%, /cpu:1 50% of a run): 100% of the operations of /cpu:1 run only after 100% of those of " \
        "/cpu:0: 'b' waits for '" in sentence


def test_other_runs_can_be_the_largest_part():
    # Four kinds of other runs, one after each step: none of them is longer than the step over all.
    runs = script(80, run=10, python=0, other=30)
    runs = [run if run.fetched == MAIN else run._replace(fetched=("other_{}".format(number // 2 % 4),))
            for number, run in enumerate(runs)]
    sentence = verdict(figures.of_runs(runs, 0))
    assert sentence.startswith("75% of a step (30 of 40 ms) is other session runs, 7.") and "less often" in sentence


def test_feeds_are_recorded(fresh_graph):
    x = tf.placeholder(tf.float32, [None], name="x")
    y = tf.reduce_sum(x)
    watch = Watch()
    with tf.Session() as session:
        for value in ([1.0, 2.0], np.ones(4, np.float64), np.ones(3, np.float32)):
            got = watch.run(session.run, session, y, {x: value}, None, None)
            assert got == np.sum(value)
        watch.run(session.run, session, y, {"x:0": [3.0]}, None, None)
    assert [(fed.tensor, fed.size, fed.converted) for run in watch.runs for fed in run.fed] == [
        ("x:0", 8, True), ("x:0", 16, True), ("x:0", 12, False), ("x:0", 4, True)
    ]
    assert {run.fetched for run in watch.runs} == {(y.name,)}


def test_a_feed_of_the_wrong_shape_raises_tensorflow_s_error(fresh_graph):
    x = tf.placeholder(tf.float32, [2])
    with tf.Session() as session, pytest.raises(ValueError, match="Cannot feed value of shape"):
        Watch().run(session.run, session, tf.identity(x), {x: [1.0, 2.0, 3.0]}, None, None)


@pytest.mark.parametrize("dtype, value, kind", [
    pytest.param(tf.uint8, 300, (TypeError, OverflowError), id="number-out-of-range"),
    pytest.param(tf.int32, [2**70], OverflowError, id="list-out-of-range"),
    pytest.param(tf.float32, tf.constant, TypeError, id="tensor"),
])
def test_wrong_feeds_raise_the_same_errors_as_without_a_watch(fresh_graph, dtype, value, kind):
    y = tf.identity(tf.placeholder(dtype, name="x"))
    value = value(1.0) if callable(value) else value
    raised = []
    with tf.Session() as session:
        for run in (session.run, lambda *feeds: Watch().run(session.run, session, *feeds, None, None)):
            with pytest.raises(kind) as caught:
                run(y, {"x:0": value})
            raised.append((caught.type, str(caught.value)))
    assert raised[0] == raised[1]


@pytest.mark.parametrize("monitored", [False, True], ids=["session", "monitored"])
def test_every_fifth_run_is_traced(fresh_graph, monitored):
    y = tf.matmul(tf.ones([2, 2]), tf.ones([2, 2]), name="y")
    watch, given = Watch(), []
    with tf.Session() as session:
        for _ in range(10):
            # A MonitoredSession gives both to each run.
            options, metadata = (tf.RunOptions(), tf.RunMetadata()) if monitored else (None, None)
            watch.run(session.run, session, y, None, options, metadata)
            given.append(metadata)
        own = tf.RunMetadata()
        for _ in range(5):
            watch.run(session.run, session, y, None, tf.RunOptions(trace_level=tf.RunOptions.SOFTWARE_TRACE), own)
    assert [number for number, run in enumerate(watch.runs, 1) if run.metadata is not None] == [5, 10]
    assert all(run.metadata.step_stats.dev_stats for run in watch.runs[4:10:5])
    assert not any(each.HasField("step_stats") for each in given if each is not None)
    assert own.step_stats.dev_stats


def test_one_run_is_traced_at_a_time(fresh_graph):
    watch, given = Watch(), []

    def keep(fetches, feeds, options, metadata):
        given.append((fetches.name, options is not None))
        if fetches is outer and options is not None:  # as if a second thread's run began within this one
            for _ in range(6):
                watch.run(keep, session, inner, None, None, None)

    outer, inner = tf.constant(1.0, name="outer"), tf.constant(1.0, name="inner")
    with tf.Session() as session:
        for _ in range(5):
            watch.run(keep, session, outer, None, None, None)
        watch.run(keep, session, inner, None, None, None)
    assert [traced for _, traced in given] == [False] * 4 + [True] + [False] * 6 + [True]


def test_only_the_main_thread_is_sampled(fresh_graph):
    watch, seen = Watch(), []

    def call(*arguments):
        seen.append(watch.is_running)

    thread = threading.Thread(target=watch.run, args=(call, tf.Session(), "y", None, None, None))
    thread.start()
    thread.join()
    watch.run(call, tf.Session(), "y", None, None, None)
    assert seen == [False, True] and not watch.is_running


def test_text_and_json_have_the_same_figures():
    found = figures.of_runs(script(21, fed=[Fed("x:0", 4096, True, False)]), 0)
    text, as_json = output.as_text(found, []), output.as_json(found, [])
    assert as_json["verdict"] == text.splitlines()[-1]
    assert re.search(r"x:0 +4,096  yes", text) and as_json["feeds"][0]["size"] == 4096
    assert sum(as_json["parts"].values()) == pytest.approx(as_json["step"])
