"""Batches made by a thread while steps run: their order, their errors, and the end of the thread."""
import threading
import time
import traceback

import numpy as np
import pytest
import waiting


def config():
    from legacy_towers.compat import tf

    return tf.ConfigProto(device_count={"CPU": 2})


def feed_threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("legacy_towers feed")]


@pytest.fixture(autouse=True)
def no_thread_is_left():
    yield
    assert waiting.happens(lambda: not feed_threads())


def built(batches, **options):
    """Returns the pipeline over two towers for `batches`, the first number of tower 1, and the pipeline's hook."""
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    placeholders = inputs.tower_placeholders(tf.TensorSpec([None], tf.float32), 2)
    made = inputs.from_placeholders(placeholders, batches, background=True, **options).build(["/cpu:0", "/cpu:1"])
    return made, tf.identity(made.per_tower[1][0])


def numbers(count, start=0):
    for number in range(start, start + count):
        yield np.float32([number, number, number + 0.5, number])


def test_background_feed_keeps_the_order_and_the_end():
    from legacy_towers.compat import tf

    made, first = built(lambda: numbers(20))
    assert made.plan.route == "background"
    for _ in range(2):  # a new session starts with a new iterator
        seen = []
        with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
            while not session.should_stop():
                seen.append(float(session.run(first)))
        assert seen == [number + 0.5 for number in range(20)]


def test_a_new_session_gets_no_batch_of_the_last_one():
    from legacy_towers.compat import tf

    starts = []

    def batches():
        starts.append(100 * len(starts))
        return numbers(50, starts[-1])

    made, first = built(batches, prefetch=5)
    for start in (0, 100, 200):
        with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
            assert [float(session.run(first)) for _ in range(2)] == [start + 0.5, start + 1.5]


def test_an_iterator_continues_in_the_next_session():
    from legacy_towers.compat import tf

    made, first = built(numbers(30), prefetch=4)
    seen = []
    for steps in (3, 1, 5):
        with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
            seen += [float(session.run(first)) for _ in range(steps)]
    with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
        while not session.should_stop():
            seen.append(float(session.run(first)))
    assert seen == [number + 0.5 for number in range(30)]


def test_prefetch_limits_the_batches_made_in_advance():
    from legacy_towers.compat import tf

    made_so_far = []

    def batches():
        for batch in numbers(100):
            made_so_far.append(batch)
            yield batch

    made, first = built(batches, prefetch=3)
    with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
        session.run(first)
        assert waiting.happens(lambda: len(made_so_far) >= 4)
        time.sleep(0.1)
        assert len(made_so_far) == 4  # one consumed, three in advance


def test_batches_are_made_while_steps_run():
    """The batch after the next one is requested while a step runs: that step waits for the request."""
    from legacy_towers.compat import tf

    asked = threading.Event()

    def batches():
        yield np.float32([0, 0])
        yield np.float32([1, 1])
        asked.set()
        yield np.float32([2, 2])

    made, first = built(batches)
    with tf.control_dependencies([first]):
        waited = tf.py_func(lambda: np.bool_(asked.wait(60)), [], tf.bool)
    with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
        assert session.run([first, waited]) == [0.0, True]


class Lost(Exception):
    pass


def breaks_after(count):
    def the_callers_code():
        for batch in numbers(count):
            yield batch
        raise Lost("the index has no such row")

    return the_callers_code


@pytest.mark.parametrize("pipeline", ["monitored", "running"])
def test_an_error_is_raised_after_the_batches_before_it(pipeline, monkeypatch):
    from legacy_towers.compat import tf
    from legacy_towers.inputs.feeds import background
    from legacy_towers.step.running import Running

    monkeypatch.setattr(background, "_ERROR_DELAY_SECONDS", 600.0)  # on a busy machine batches are consumed late
    made, first = built(breaks_after(3))
    seen = []
    started = time.time()
    with pytest.raises(Lost, match="no such row") as raised:
        if pipeline == "monitored":
            with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
                while not session.should_stop():
                    seen.append(float(session.run(first)))
        else:
            running = Running(tf.Session(config=config()), first.op, made.hooks, lambda session: None)
            with running as run:
                while True:
                    seen.append(float(run(first)))
    assert seen == [0.5, 1.5, 2.5]
    assert "the_callers_code" in "".join(traceback.format_tb(raised.tb))
    assert time.time() - started < 300  # it does not block


def test_an_error_stops_the_coordinator_without_a_run():
    from legacy_towers.compat import tf

    made, _ = built(breaks_after(1))
    with pytest.raises(Lost) as raised:
        with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
            assert waiting.happens(session.should_stop)
    assert "the_callers_code" in "".join(traceback.format_tb(raised.tb))


def test_an_old_error_is_raised_before_remaining_batches(monkeypatch):
    from legacy_towers.compat import tf
    from legacy_towers.inputs.feeds import background

    monkeypatch.setattr(background, "_ERROR_DELAY_SECONDS", 0.0)
    made, first = built(breaks_after(2), prefetch=3)
    with pytest.raises(Lost):
        with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
            assert waiting.happens(lambda: made.hooks[0]._background._error is not None)
            session.run(first)
            pytest.fail("a batch came before the error")


def test_the_run_that_needs_an_invalid_batch_raises_its_error():
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError

    made, first = built([np.zeros(4), np.zeros(3), np.ones(2)])
    step = tf.train.get_or_create_global_step()
    with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
        session.run(first)
        assert session.run(step) == 0
        with pytest.raises(InputError, match="3 examples can't be split"):
            session.run(first)


def end_by_error(session, first):
    raise KeyError("mine")


def end_by_interrupt(session, first):
    raise KeyboardInterrupt


ENDINGS = {
    "leaving early": (lambda session, first: session.run(first), None),
    "an error": (end_by_error, KeyError),
    "Ctrl-C": (end_by_interrupt, KeyboardInterrupt),
    "a failing step": (lambda session, first: session.run(session.bad), Exception),
    "asked to stop": (lambda session, first: session._coordinated_creator.coord.request_stop(), None),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_thread_ends_with_the_session(ending):
    from legacy_towers.compat import tf

    closed = []

    def batches():
        try:
            for batch in numbers(1000):
                yield batch
        finally:
            closed.append(threading.current_thread().name)

    made, first = built(batches)
    with tf.control_dependencies([first]):
        bad = tf.Assert(False, ["a failing step"])
    act, error = ENDINGS[ending]
    try:
        with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
            session.run(first)
            session.bad = bad
            act(session, first)
        assert error is None
    except BaseException as caught:
        if error is None or not isinstance(caught, error):
            raise
    assert feed_threads() == []
    assert closed == ["legacy_towers feed"]  # by its own thread


@pytest.mark.parametrize("ending", ["end", "close"])
def test_the_thread_ends_with_a_plain_session(ending):
    from legacy_towers.compat import tf

    made, first = built(lambda: numbers(1000))
    (hook,) = made.hooks
    session = tf.Session(config=config())
    hook.after_create_session(session, None)
    context = tf.train.SessionRunContext(tf.train.SessionRunArgs(first), session)
    for number in range(3):
        assert session.run(first, hook.before_run(context).feed_dict) == number + 0.5
        hook.after_run(context, None)
    if ending == "end":
        hook.end(session)
        assert hook.before_run(context) is None
    session.close()  # the fixture waits for the end of the thread


def test_a_thread_that_does_not_end_is_a_warning(monkeypatch):
    from legacy_towers.compat import tf
    from legacy_towers.inputs.feeds import background

    monkeypatch.setattr(background, "_GRACE_SECONDS", 0.2)
    freed = threading.Event()

    def batches():
        yield np.float32([1, 2])
        freed.wait(600)

    made, first = built(batches)
    try:
        started = time.time()
        with pytest.warns(UserWarning, match="because the code that makes them is still waiting or computing"):
            with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
                assert session.run(first) == 2
        assert time.time() - started < 300
        assert all(thread.daemon for thread in feed_threads())
    finally:
        freed.set()


def test_a_new_session_fails_while_the_iterator_still_computes(monkeypatch):
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError
    from legacy_towers.inputs.feeds import background

    monkeypatch.setattr(background, "_GRACE_SECONDS", 0.2)
    freed = threading.Event()

    def batches():
        yield np.float32([1, 2])
        freed.wait(600)
        yield np.float32([3, 4])

    made, first = built(batches())
    try:
        with pytest.warns(UserWarning, match="is still waiting or computing"):
            with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
                session.run(first)
        with pytest.raises(InputError, match="iterator over the batches still computes a batch for the last session"):
            with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
                session.run(first)
    finally:
        freed.set()


def test_errors_of_examples_keep_their_type():
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    def rows():
        yield np.float32(0)
        raise Lost("no such row")

    examples = Examples.from_generator(rows, tf.TensorSpec([], tf.float32), shuffle=False)
    made = inputs.feed(examples, per_tower_batch_size=1, background=True).build(["/cpu:0", "/cpu:1"])
    first = tf.identity(made.per_tower[0])
    with pytest.raises(Exception, match="no such row"):
        with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
            session.run(first)
