"""step.running(session): initialization, hooks, the end of the data, errors, and the threads of queue runners."""
import threading

import nets
import numpy as np
import pytest
import waiting

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, DeviceError, InputError
from legacy_towers.step.running import Running


def make_step(pipeline="feed", devices=None, epochs=None, **arguments):
    """32 examples in batches of 4 on 2 towers: 4 steps an epoch."""
    source = getattr(lt.inputs, pipeline)(
        lt.Examples.from_arrays(nets.examples("dense", 32)), per_tower_batch_size=4, order="fixed", epochs=epochs
    )
    return lt.build_train_step(
        nets.model("dense"), source, tf.train.MomentumOptimizer(0.1, 0.9), devices or lt.devices.cpus(2), **arguments
    )


def open_session():
    return tf.Session(config=nets.config(2))


@pytest.fixture(autouse=True)
def no_thread_is_left():
    before = set(threading.enumerate())
    yield
    left = waiting.threads_since(before)
    assert not left, left


class Recorder(tf.train.SessionRunHook):
    """Records the calls of its methods."""

    def __init__(self, heard, name="", request=None, fail_in=None):
        self.heard, self.name, self.request, self.fail_in = heard, name, request, fail_in

    def _note(self, event):
        self.heard.append(self.name + event)
        if event == self.fail_in:
            raise ValueError("the hook failed in " + event)

    def begin(self):
        self._note("begin")

    def after_create_session(self, session, coord):
        assert isinstance(coord, tf.train.Coordinator)
        self._note("after_create_session")

    def before_run(self, run_context):
        self._note("before_run")
        return self.request

    def after_run(self, run_context, run_values):
        self.results = run_values.results
        self._note("after_run")

    def end(self, session):
        self._note("end")


def test_running_initializes_uninitialized_variables_only():
    step = make_step()
    w1 = [v for v in tf.trainable_variables() if v.op.name == "w1"][0]
    with open_session() as session:
        session.run([w1.initializer, step.global_step.initializer])
        session.run([tf.assign(w1, np.full([12, 16], 0.25)), tf.assign(step.global_step, 7)])
        with step.running(session):
            assert (session.run(w1) == 0.25).all()
            assert session.run(step.global_step) == 7
            assert not session.run(tf.report_uninitialized_variables()).size
        assert (session.run(w1) == 0.25).all()


def test_a_restored_session_stays_restored(tmp_path):
    step = make_step()
    saver = tf.train.Saver()
    with open_session() as session, step.running(session) as run:
        for _ in range(3):
            run()
        path = saver.save(session, str(tmp_path / "model"))
        saved = session.run(tf.global_variables())
    with open_session() as session:
        saver.restore(session, path)
        with step.running(session):
            for value, expected in zip(session.run(tf.global_variables()), saved):
                np.testing.assert_array_equal(value, expected)


def test_variables_created_after_the_step_are_initialized():
    step = make_step()
    late = tf.get_variable("late", initializer=3.0)
    with open_session() as session, step.running(session) as run:
        assert run(late) == 3.0


def test_a_finalized_graph_can_run():
    step = make_step()
    tf.get_default_graph().finalize()
    with open_session() as session, step.running(session) as run:
        assert run(step.global_step) is not None


def test_running_again_adds_nothing_to_the_graph():
    step = make_step()
    with open_session() as session:
        counts = []
        for _ in range(3):
            with step.running(session) as run:
                run()
            counts.append(len(tf.get_default_graph().get_operations()))
        assert len(set(counts)) == 1
        assert session.run(step.global_step) == 3


def test_hooks_are_called_as_by_monitored_session():
    heard = {}
    for pipeline in ("bare", "monitored"):
        with tf.Graph().as_default():
            step = make_step()
            heard[pipeline] = []
            hooks = [Recorder(heard[pipeline], "a "), Recorder(heard[pipeline], "b ")]
            step.hooks.extend(hooks)
            if pipeline == "bare":
                with open_session() as session, step.running(session) as run:
                    run()
                    run()
            else:
                with tf.train.MonitoredSession(
                    tf.train.ChiefSessionCreator(config=nets.config(2)), step.hooks
                ) as session:
                    session.run(step.train_op)
                    session.run(step.train_op)
    events = "begin after_create_session before_run after_run before_run after_run end".split()
    assert heard["bare"] == [name + event for event in events for name in ("a ", "b ")]
    assert heard["bare"] == heard["monitored"]


@pytest.mark.parametrize("pipeline", ["feed", "queue", "dataset"])
def test_end_of_data_ends_the_block_without_an_error_and_calls_hooks(pipeline):
    step = make_step(pipeline, epochs=2)
    heard = []
    step.hooks.append(Recorder(heard))
    steps = 0
    with open_session() as session:
        with step.running(session) as run:
            while True:
                run()
                steps += 1
        assert steps == 8 and session.run(step.global_step) == 8
    assert heard[-1] == "end" and heard.count("end") == 1


def test_hooks_fetch_and_feed():
    step = make_step()
    scale = tf.placeholder(tf.float32, [], name="scale")
    hook = Recorder([], request=tf.train.SessionRunArgs({"twice": 2 * scale}, {scale: 4.0}))
    step.hooks.append(hook)
    with open_session() as session, step.running(session) as run:
        assert run({"it": scale})["it"] == 4.0
        assert hook.results == {"twice": 8.0}
        with pytest.raises(ArgumentError, match="Recorder feeds 'scale:0', which the caller of the run feeds already"):
            run(feed_dict={scale: 5.0})


def test_run_feeds_the_callers_placeholders():
    rate = tf.placeholder(tf.float64, [], name="rate")
    source = lt.inputs.feed(lt.Examples.from_arrays(nets.examples("dense", 32)), per_tower_batch_size=4)
    step = lt.build_train_step(
        nets.model("dense"), source, tf.train.GradientDescentOptimizer(rate), lt.devices.cpus(2)
    )
    with open_session() as session, step.running(session) as run:
        before = session.run(tf.trainable_variables())
        run(feed_dict={rate: 0.0})
        for now, then in zip(session.run(tf.trainable_variables()), before):
            np.testing.assert_array_equal(now, then)
        assert run(rate, feed_dict={rate: 0.5}) == 0.5


def test_fetches_keep_their_shape():
    step = make_step()
    with open_session() as session, step.running(session) as run:
        assert run() is None
        assert np.isscalar(run(step.loss))
        found = run([step.loss, {"towers": tuple(tower.loss for tower in step.towers)}])
        assert found[0] == pytest.approx(np.mean(found[1]["towers"]))


def test_a_hook_can_stop_the_loop():
    step = make_step()
    step.hooks.append(tf.train.StopAtStepHook(last_step=3))
    steps = 0
    with open_session() as session, step.running(session) as run:
        while not run.should_stop():
            run()
            steps += 1
    assert steps == 3


def failing_queue_step(fail_at):
    """Two towers that dequeue from a queue whose producer fails at the example with that number."""
    numbers = tf.train.range_input_producer(100, shuffle=False).dequeue()
    with tf.control_dependencies([tf.Assert(numbers < fail_at, ["example", numbers, "is broken"])]):
        rows = tf.cast(tf.identity(numbers), tf.float64)
    batch = tf.train.batch([rows], 2)

    def model_fn(rows, mode):
        return lt.TowerOutput(loss=tf.reduce_mean(rows * nets.variable("w", [], np.float64)))

    source = lt.inputs.from_tensors(global_batch=batch)
    return lt.build_train_step(model_fn, source, tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(2))


def test_the_error_of_a_queue_runner_is_raised():
    step = failing_queue_step(fail_at=11)
    with open_session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="is broken"):
            with step.running(session) as run:
                while True:
                    run()
        assert session.run(step.global_step) <= 5


def test_the_error_of_a_queue_runner_is_raised_at_the_end_of_the_block():
    step = failing_queue_step(fail_at=0)
    with open_session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="is broken"):
            with step.running(session) as run:
                while not run.should_stop():
                    threading.Event().wait(0.01)


class Mine(Exception):
    pass


@pytest.mark.parametrize("pipeline", ["feed", "queue"])
def test_the_callers_own_error_passes_through(pipeline):
    step = make_step(pipeline)
    heard = []
    step.hooks.append(Recorder(heard))
    with open_session() as session, pytest.raises(Mine):
        with step.running(session) as run:
            run()
            raise Mine()
    assert heard[-1] == "after_run"


def test_the_callers_own_error_has_precedence_over_a_queue_runners():
    step = failing_queue_step(fail_at=0)
    with open_session() as session, pytest.raises(Mine), pytest.warns(UserWarning, match="a queue runner failed.*brok"):
        with step.running(session) as run:
            while not run.should_stop():
                threading.Event().wait(0.01)
            raise Mine()


@pytest.mark.parametrize("event", ["begin", "after_create_session", "before_run", "after_run", "end"])
def test_the_error_of_a_hook_passes_through(event):
    step = make_step("queue")
    step.hooks.append(Recorder([], fail_in=event))
    with open_session() as session, pytest.raises(ValueError, match="the hook failed in " + event):
        with step.running(session) as run:
            run()


def test_a_step_can_be_entered_once_at_a_time():
    step = make_step()
    with open_session() as session:
        running = step.running(session)
        with running as run:
            run()
            with pytest.raises(ArgumentError, match="running already"):
                with running:
                    pass
            run()
        with running as run:
            run()
        assert session.run(step.global_step) == 3


@pytest.mark.parametrize("event", ["begin", "after_create_session"])
def test_a_block_that_did_not_start_does_not_run(event):
    step = make_step("queue")
    with open_session() as session:
        running = step.running(session, [Recorder([], fail_in=event)])
        with pytest.raises(ValueError, match="the hook failed in " + event):
            with running:
                pass
        with pytest.raises(ArgumentError, match="not running"):
            running()


def test_an_error_of_tensorflow_passes_through():
    step = make_step("queue")
    bad = tf.Assert(step.global_step < 0, ["never"])
    with open_session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="never"):
        with step.running(session) as run:
            run(bad)


def test_a_hook_may_dequeue_in_after_create_session():
    # As for a prefilled staging area; MonitoredSession starts its queue runners first, too.
    step = make_step("queue")

    class Prefill(tf.train.SessionRunHook):
        def after_create_session(self, session, coord):
            self.taken = session.run(step.towers[0].loss, options=tf.RunOptions(timeout_in_ms=60000))

    hook = Prefill()
    step.hooks.append(hook)
    with open_session() as session, step.running(session) as run:
        run()
    assert np.isfinite(hook.taken)


@pytest.mark.parametrize("pipeline", ["feed", "dataset"])
def test_running_twice_in_one_session_continues(pipeline):
    step = make_step(pipeline, epochs=1)
    with open_session() as session:
        for _ in range(2):
            with step.running(session) as run:
                while True:
                    run()
        assert session.run(step.global_step) == 8


def test_running_twice_over_queues_needs_a_new_session():
    step = make_step("queue")
    with open_session() as session:
        with step.running(session) as run:
            run()
        with pytest.raises(InputError, match="'inputs/prefetch' are closed in this session.*make a new session"):
            with step.running(session):
                pass
    with open_session() as session, step.running(session) as run:
        run()
        assert session.run(step.global_step) == 1


def test_a_queue_that_depends_on_other_operations_is_not_checked():
    with tf.control_dependencies([tf.train.range_input_producer(100, shuffle=False).dequeue()]):
        queue = tf.FIFOQueue(8, [tf.float64], [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(tf.constant(1.0, tf.float64))]))
    step = make_step()
    with open_session() as session, step.running(session) as run:
        run()


def test_a_session_without_a_towers_device_is_refused():
    step = make_step(devices=["/cpu:0", "/cpu:5"])
    with open_session() as session, pytest.raises(DeviceError, match=r"tower 1 \(/cpu:5\)"):
        with step.running(session):
            pass


def test_soft_placement_warns_at_the_first_run():
    step = make_step(devices=["/cpu:0", "/gpu:7"])
    config = lt.session_config(soft_placement=True, logical_cpus=2)
    with tf.Session(config=config) as session, step.running(session) as run:
        with pytest.warns(UserWarning, match="tower 1 requested /gpu:7 but ran entirely on /cpu:0"):
            run()


def test_tables_and_local_variables_are_initialized():
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [5]), -1)
    counter = tf.Variable(1, collections=[tf.GraphKeys.LOCAL_VARIABLES], name="counter", trainable=False)
    step = make_step()
    with open_session() as session, step.running(session) as run:
        assert run([table.lookup(tf.constant(["a", "b"])), counter])[0].tolist() == [5, -1]


def test_running_takes_any_operation_and_hooks():
    count = tf.Variable(0)
    heard = []
    with tf.Session() as session:
        initialize = count.initializer
        with Running(session, tf.assign_add(count, 1), [Recorder(heard)], lambda s: s.run(initialize)) as run:
            run()
        assert session.run(count) == 1
    assert heard == ["begin", "after_create_session", "before_run", "after_run", "end"]
