"""Errors, the end of the data and the end of sessions with `lt.inputs.staged`."""
import threading
import time

import numpy as np
import pytest
import waiting
from staging import session_for, staging_threads

PIPELINES = ["feed", "queue", "dataset:split", "dataset:next_per_tower", "dataset:sharded", "dataset:per_device"]


@pytest.fixture(autouse=True)
def no_thread_is_left():
    yield
    assert waiting.happens(lambda: not staging_threads())


def test_an_error_is_raised_in_its_step_and_the_data_continues(staged):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    def outcomes(wrap):
        def parse(number):
            return {"id": tf.debugging.check_numerics(6.0 / (tf.cast(number, tf.float32) - 5.0), "five is bad")}

        with tf.Graph().as_default():
            dataset = tf.data.Dataset.range(10).map(parse).batch(2)
            batches = wrap(inputs.from_dataset(dataset)).build(["/cpu:0", "/cpu:1"])
            towers = [tf.identity(tower["id"]) for tower in batches.per_tower]
            seen = []
            with session_for(batches) as session:
                while not session.should_stop():
                    try:
                        seen.append(np.ravel(session.run(towers)).tolist())
                    except tf.errors.InvalidArgumentError as error:
                        assert "five is bad" in str(error)
                        seen.append("error")
        return seen

    plain = outcomes(lambda source: source)
    assert plain[2] == "error" and len(plain) == 5
    assert outcomes(lambda source: staged(source, ahead=2)) == plain


def test_the_callers_iterator_may_be_reinitialized_after_its_end(staged):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(6).batch(2))
    batches = staged(inputs.from_tensors(global_batch={"id": iterator.get_next()})).build(["/cpu:0", "/cpu:1"])
    towers = [tf.identity(tower["id"]) for tower in batches.per_tower]
    with session_for(batches) as session:
        for _ in range(3):
            session.run(iterator.initializer)
            assert np.ravel([session.run(towers) for _ in range(3)]).tolist() == list(range(6))
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(towers)
            time.sleep(0.2)  # nothing is staged meanwhile


def test_errors_of_python_code_keep_their_traceback(staged):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    def explode():
        raise KeyError("no such picture")

    def batches_of():
        yield {"id": np.arange(2)}
        explode()

    placeholders = inputs.tower_placeholders({"id": tf.TensorSpec([None], tf.int64)}, 2)
    batches = staged(inputs.from_placeholders(placeholders, batches_of)).build(["/cpu:0", "/cpu:1"])
    with pytest.raises(KeyError, match="no such picture") as raised, session_for(batches) as session:
        for _ in range(2):
            session.run([tower["id"] for tower in batches.per_tower])
    assert "explode" in [entry.name for entry in raised.traceback]


def test_the_error_of_a_queue_runner_is_raised(staged):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    counter = tf.get_local_variable("counter", [], tf.float32, tf.ones_initializer(), use_resource=True)
    number = tf.debugging.check_numerics(1.0 / (2.0 - counter.assign_add(0.25)), "two is bad")
    parsed = tf.train.batch([number], 2)
    batches = staged(inputs.from_tensors(global_batch={"id": parsed})).build(["/cpu:0", "/cpu:1"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="two is bad"), session_for(batches) as session:
        while not session.should_stop():
            session.run([tower["id"] for tower in batches.per_tower])


@pytest.mark.parametrize("pipeline", ["from_placeholders", "from_dataset"])
def test_new_hooks_in_the_same_session_start_without_staged_batches(pipeline, staged, numbered):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    def model(batch, mode):
        weight = tf.get_variable("w", [], initializer=tf.ones_initializer())
        return lt.TowerOutput(loss=tf.reduce_sum(weight * tf.cast(batch["id"], tf.float32)), predictions=batch["id"])

    inputs = staged(numbered(pipeline, 6), ahead=2)
    step = lt.build_train_step(model, inputs, tf.train.GradientDescentOptimizer(0.0), lt.devices.cpus(2))
    ids = [tf.identity(tower.output.predictions) for tower in step.towers]
    with tf.Session(config=lt.session_config(logical_cpus=2)) as session:
        for _ in range(2):
            with step.running(session) as run:
                assert np.ravel([run(ids) for _ in range(3)]).tolist() == [0, 1, 2, 3, 4, 5]
            assert not staging_threads()
        with pytest.raises(ZeroDivisionError), step.running(session) as run:
            run()
            raise ZeroDivisionError
        seen = []
        with step.running(session) as run:
            while True:
                seen.append(run(ids))
        assert np.ravel(seen).tolist() == list(range(12))


def test_a_recovered_session_restarts_staging(staged, numbered):
    from legacy_towers.compat import tf

    class Breaks(tf.train.SessionRunHook):
        left = 1

        def after_run(self, run_context, run_values):
            if self.left and run_values.results is None:
                self.left -= 1
                raise tf.errors.AbortedError(None, None, "the other machine went away")

    batches = staged(numbered("from_dataset", 4), ahead=2).build(["/cpu:0", "/cpu:1"])
    towers = [tf.identity(tower["id"]) for tower in batches.per_tower]
    seen = []
    with session_for(batches._replace(hooks=batches.hooks + [Breaks()])) as session:
        while not session.should_stop():
            seen.append(np.ravel(session.run(towers)).tolist())
    assert seen == [[0, 1], [2, 3], [4, 5], [6, 7]]


def test_waiting_for_data_ends_with_the_session(staged, monkeypatch):
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.inputs.wrappers import staging_thread

    monkeypatch.setattr(staging_thread, "_GRACE_IN_SESSION_SECONDS", 0.2)
    queue = tf.FIFOQueue(10, [tf.int64], [[]])  # never filled and never closed
    batches = staged(inputs.from_tensors(global_batch={"id": queue.dequeue_many(2)})).build(["/cpu:0", "/cpu:1"])
    towers = [tower["id"] for tower in batches.per_tower]
    with pytest.raises(KeyboardInterrupt), session_for(batches) as session:
        interrupt_in(0.5)
        session.run(towers)


def test_a_batch_that_never_ends_does_not_block_the_session(staged, monkeypatch):
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError
    from legacy_towers.inputs.wrappers import staging_thread

    monkeypatch.setattr(staging_thread, "_GRACE_SECONDS", 0.2)
    goes_on = threading.Event()

    def batches_of():
        yield {"id": np.arange(2)}
        goes_on.wait(60)

    placeholders = inputs.tower_placeholders({"id": tf.TensorSpec([None], tf.int64)}, 2)
    batches = staged(inputs.from_placeholders(placeholders, batches_of)).build(["/cpu:0", "/cpu:1"])
    with pytest.warns(UserWarning, match="the thread that stages batches has not ended within"):
        with session_for(batches) as session:
            session.run([tower["id"] for tower in batches.per_tower])
    with pytest.warns(UserWarning), pytest.raises(InputError, match="still computes a batch for the last session"):
        with session_for(batches):
            pass
    goes_on.set()


@pytest.mark.slow
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_many_sessions_start_and_stop(pipeline, staged, sources, make_input, cpus):
    from legacy_towers.compat import tf

    batches = staged(make_input(pipeline, sources("arrays"), per_tower_batch_size=4), ahead=2).build(cpus)
    ids = [tf.identity(tower["id"]) for tower in batches.per_tower]
    for cycle in range(8):
        with tf.train.MonitoredTrainingSession(
            hooks=batches.hooks, config=tf.ConfigProto(device_count={"CPU": 4})
        ) as session:
            for _ in range(cycle % 4):
                session.run(ids)
    assert not staging_threads()


def interrupt_in(seconds):
    import _thread

    timer = threading.Timer(seconds, _thread.interrupt_main)
    timer.daemon = True
    timer.start()


def test_a_session_ends_while_a_batch_is_made(staged, third_waits):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    dataset = tf.data.Dataset.range(9).map(third_waits)
    batches = staged(inputs.from_dataset(dataset)).build(["/cpu:0"])
    with tf.train.MonitoredTrainingSession(hooks=batches.hooks) as session:
        assert [session.run(batches.per_tower[0]).tolist() for _ in range(2)] == [[0], [1]]
        assert third_waits.is_waiting.wait(60)
        # After the time that a step inside the session has to end: its batch is not needed any more.
        threading.Timer(2.0, third_waits.go_on.set).start()
