"""`--timeout-steps`: which session runs are counted, and how the script ends."""
import glob
import os
import threading

import pytest
from run.runtime.prepared import script

from legacy_towers.compat import tf as real


def trained(tf):
    """Builds a model; returns (train op, loss)."""
    weight = tf.get_variable("w", [], initializer=tf.ones_initializer())
    loss = tf.square(weight)
    step = tf.train.get_or_create_global_step()
    return tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step), loss


def test_the_run_after_the_limit_ends_the_script(capsys):
    seen, cleaned = [], []
    with pytest.raises(SystemExit) as end, script("--timeout-steps 3") as (tf, run), tf.Graph().as_default():
        train, loss = trained(tf)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            try:
                while True:
                    seen.append(session.run([train, loss])[1])
            except tf.errors.OutOfRangeError:
                raise AssertionError("not the end of the data") from None
            except Exception:
                raise AssertionError("not an error") from None
            finally:
                cleaned.append(True)
    assert end.value.code == 0 and len(seen) == 3 and cleaned == [True]
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("legacy-towers")]
    assert lines == ["legacy-towers: ended after 3 session runs (--timeout-steps)"]


def empty_fetches(tf):
    return []


def initializer(tf):
    tf.get_variable("a", [], initializer=tf.zeros_initializer())
    return tf.global_variables_initializer()


def two_initializers(tf):
    tf.get_variable("a", [], initializer=tf.zeros_initializer(), use_resource=True)
    return [tf.global_variables_initializer(), tf.local_variables_initializer()]


def one_variable(tf):
    return tf.get_variable("a", [], initializer=tf.zeros_initializer()).initializer


def table(tf):
    tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
    return tf.tables_initializer()


def iterator(tf):
    return tf.data.make_initializable_iterator(tf.data.Dataset.range(3)).initializer


def nested(tf):
    tf.get_variable("a", [], initializer=tf.zeros_initializer())
    return tf.group(tf.group(tf.global_variables_initializer()), tf.tables_initializer())


def enqueue(tf):
    return tf.FIFOQueue(100, [tf.float32], [[]]).enqueue([1.0])


def close(tf):
    return tf.FIFOQueue(100, [tf.float32], [[]]).close()


def tensor(tf):
    return tf.constant(1.0)


def train_operation(tf):
    return trained(tf)[0]


def without_global_step(tf):
    weight = tf.get_variable("w", [], initializer=tf.ones_initializer())
    return tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(weight))


def assignments(tf):
    weight = tf.get_variable("w", [], initializer=tf.ones_initializer(), use_resource=True)
    return tf.group(weight.assign(weight * 0.9))


def initializer_and_tensor(tf):
    return [initializer(tf), tf.constant(1.0)]


def fetch_by_name(tf):
    return tf.constant(1.0, name="fetch_by_name").name


@pytest.mark.parametrize(
    "build, counted",
    [
        (empty_fetches, 0), (initializer, 0), (two_initializers, 0), (one_variable, 0), (table, 0), (iterator, 0),
        (nested, 0), (enqueue, 0), (close, 0), (tensor, 1), (train_operation, 1), (without_global_step, 1),
        (assignments, 1), (initializer_and_tensor, 1), (fetch_by_name, 1),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_initializers_and_queue_ops_are_not_counted_as_steps(build, counted):
    with script("--timeout-steps 100") as (tf, run), tf.Graph().as_default():
        step_limit = run.runtime.step_limit
        fetches = build(tf)
        tf.no_op()  # a session can't run an empty graph
        with tf.Session() as session:
            if build in (train_operation, without_global_step, assignments):
                session.run(tf.global_variables_initializer())
            session.run(fetches)
            assert step_limit.done == counted
            if counted and not isinstance(fetches, (list, str)):
                session.make_callable(fetches)()
                assert step_limit.done == counted + 1


def test_a_callable_with_feed_list_counts_once():
    with script("--timeout-steps 100") as (tf, run), tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        assert session.make_callable(x * 2, [x])(3.0) == 6.0
        assert run.runtime.step_limit.done == 1


def test_session_runs_of_savers_and_hooks_are_not_counted(tmp_path):
    with script("--timeout-steps 100") as (tf, run), tf.Graph().as_default():
        step_limit = run.runtime.step_limit
        train, _ = trained(tf)
        tf.summary.scalar("one", 1.0)
        saver = tf.train.Saver()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            path = saver.save(session, str(tmp_path / "model"))
            saver.restore(session, path)
        assert step_limit.done == 0
        hooks = [tf.train.StepCounterHook(1, output_dir=str(tmp_path)), tf.train.StopAtStepHook(last_step=4)]
        folder = str(tmp_path / "monitored")
        with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=hooks, save_summaries_steps=1) as session:
            while not session.should_stop():
                session.run(train)
        assert step_limit.done == 4


@pytest.mark.parametrize("module, counts", [
    ("tensorflow.python.training.supervisor", False),
    ("tensorflow_core.python.training.saver", False),
    ("tensorflow.python.training.queue_runner_impl", False),
    ("tensorflow.python.training.monitored_session", True),
    ("tensorflow.python.framework.ops", True),
    ("tf_slim.learning", True),
    ("__main__", True),
])
def test_session_runs_of_tensorflow_modules_are_not_counted(module, counts):
    with script("--timeout-steps 100") as (tf, run), tf.Graph().as_default():
        value = tf.constant(1.0)
        runs = run.runtime.step_limit.of_session(run.runtime, is_monitored=False)
        with tf.Session() as session:
            assert runs.count(session, value, module) is counts


def test_initializers_are_not_counted_in_a_monitored_session():
    with script("--timeout-steps 100") as (tf, run), tf.Graph().as_default():
        step_limit = run.runtime.step_limit
        train, _ = trained(tf)
        again = tf.global_variables_initializer()
        with tf.train.MonitoredTrainingSession() as session:
            session.run(again)
            assert step_limit.done == 0
            session.run(train)
            assert step_limit.done == 1


def test_queue_runners_are_not_counted_and_stop_at_the_limit():
    before = threading.active_count()
    seen = []
    with pytest.raises(SystemExit), script("--timeout-steps 5") as (tf, run), tf.Graph().as_default():
        number = tf.train.range_input_producer(1000, shuffle=False).dequeue()
        queue = tf.FIFOQueue(3, [tf.int32], [[]])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([number])] * 2))
        value = tf.cast(queue.dequeue(), tf.float32)
        with tf.Session() as session:
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            try:
                while not coordinator.should_stop():
                    seen.append(session.run(value))
            except tf.errors.OutOfRangeError:
                print("done")
            finally:
                coordinator.request_stop()
                coordinator.join(threads)
    assert len(seen) == 5 and threading.active_count() <= before


def test_training_threads_end_by_system_exit_without_a_traceback():
    # For a subclass of SystemExit, threading prints a traceback.
    with script("--timeout-steps 5") as (tf, run), tf.Graph().as_default():
        value, seen, ended = tf.constant(1.0), [], []
        with tf.Session() as session:

            def work():
                try:
                    while True:
                        seen.append(session.run(value))
                except SystemExit as end:
                    ended.append(type(end))

            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert len(seen) == 5 and ended == [SystemExit] * 3


def test_a_coordinator_logs_no_error_where_the_limit_ends_its_thread(caplog):
    with pytest.raises(SystemExit), script("--timeout-steps 2") as (tf, run), tf.Graph().as_default():
        train, _ = trained(tf)
        coordinator = tf.train.Coordinator()
        with tf.Session() as session, caplog.at_level("INFO", logger="tensorflow"):
            session.run(tf.global_variables_initializer())
            thread = tf.train.LooperThread.loop(coordinator, None, session.run, (train,))
            coordinator.wait_for_stop()
            coordinator.join([thread])
    assert "Error reported to Coordinator" not in caplog.text
    assert "SystemExit" not in caplog.text


def test_a_coordinator_logs_other_errors_of_its_threads(caplog):
    with pytest.raises(ZeroDivisionError), script("--timeout-steps 2") as (tf, run):
        coordinator = tf.train.Coordinator()
        with caplog.at_level("INFO", logger="tensorflow"):
            thread = tf.train.LooperThread.loop(coordinator, None, lambda: 1 / 0)
            coordinator.wait_for_stop()
            coordinator.join([thread])
    assert "Error reported to Coordinator" in caplog.text


def test_the_limit_in_a_training_thread_ends_the_script():
    with pytest.raises(SystemExit) as end, script("--timeout-steps 5") as (tf, run), tf.Graph().as_default():
        train, _ = trained(tf)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            coordinator = tf.train.Coordinator()

            def work():
                with coordinator.stop_on_exception():
                    while not coordinator.should_stop():
                        session.run(train)

            threads = [threading.Thread(target=work) for _ in range(2)]
            for thread in threads:
                thread.start()
            coordinator.join(threads)
    assert end.value.code == 0


def test_a_monitored_session_saves_at_the_limit_and_the_script_continues(tmp_path, capsys):
    with script("--timeout-steps 3") as (tf, run), tf.Graph().as_default():
        train, _ = trained(tf)
        number = tf.train.range_input_producer(100).dequeue()
        with tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path), save_checkpoint_secs=1000) as session:
            while not session.should_stop():
                session.run([train, number])
        names = sorted(os.path.basename(path) for path in glob.glob(str(tmp_path / "*.index")))
        assert names == ["model.ckpt-0.index", "model.ckpt-3.index"]
        assert run.runtime.step_limit.is_reached
        with pytest.raises(SystemExit):  # in a second session
            with tf.train.MonitoredTrainingSession() as session:
                session.run(train)
    assert capsys.readouterr().err.count("ended after 3 session runs") == 1


def test_the_limit_ends_a_monitored_session_without_a_with_statement():
    reached = []
    with script("--timeout-steps 2") as (tf, run), tf.Graph().as_default():
        train, _ = trained(tf)
        session = tf.train.MonitoredTrainingSession()
        while not session.should_stop():
            session.run(train)
            reached.append(True)
    assert len(reached) == 2


def test_the_limit_stops_a_supervisor_and_its_threads(tmp_path):
    with pytest.raises(SystemExit) as end, script("--timeout-steps 3") as (tf, run), tf.Graph().as_default():
        step_limit = run.runtime.step_limit
        train, _ = trained(tf)
        supervisor = tf.train.Supervisor(logdir=str(tmp_path), save_model_secs=1000, save_summaries_secs=1)
        with supervisor.managed_session() as session:
            while not supervisor.should_stop():
                session.run(train)
    assert end.value.code == 0 and step_limit.done == 3 and supervisor.should_stop()


def test_an_out_of_range_error_of_the_script_is_raised():
    with pytest.raises(real.errors.OutOfRangeError), script("--timeout-steps 3") as (tf, run):
        raise tf.errors.OutOfRangeError(None, None, "the script's own")
