"""A batch for each run that needs one, and for no other."""
import numpy as np
import pytest


@pytest.fixture
def counting(sources):
    """Returns the batches of a feed of 16 per step in order, and a hook that counts what it fed."""
    from legacy_towers import inputs

    return inputs.feed(sources("arrays"), per_tower_batch_size=8, epochs=1, order="fixed").build(["/cpu:0", "/cpu:1"])


def first_ids(tower):
    from legacy_towers.compat import tf

    return tf.identity(tower["id"][0])


def test_reading_the_global_step_takes_no_batch(counting):
    from legacy_towers.compat import tf

    step = tf.train.get_or_create_global_step()
    first = first_ids(counting.per_tower[0])
    with tf.train.MonitoredTrainingSession(hooks=counting.hooks, config=config()) as session:
        seen = []
        while not session.should_stop():
            assert session.run(step) == 0
            assert session.run({"nothing": []}) == {"nothing": []}
            seen.append(int(session.run(first)))
    assert seen == [0, 16, 32, 48]


def config():
    from legacy_towers.compat import tf

    return tf.ConfigProto(device_count={"CPU": 2})


def test_what_depends_by_control_only_is_fed_too(counting):
    from legacy_towers.compat import tf

    with tf.control_dependencies([counting.per_tower[1]["id"]]):
        done = tf.constant(5)
    with tf.train.MonitoredTrainingSession(hooks=counting.hooks, config=config()) as session:
        assert session.run(done) == 5


def test_a_caller_who_feeds_himself_is_left_alone(counting):
    from legacy_towers.compat import tf

    first = first_ids(counting.per_tower[0])
    ids = counting.per_tower[0]["id"]
    with tf.train.MonitoredTrainingSession(hooks=counting.hooks, config=config()) as session:
        assert session.run(first, {ids: np.arange(8) + 100}) == 100
        assert session.run(first, {first: np.int64(7)}) == 7
        assert session.run(first) == 0


def test_hooks_called_by_hand_in_a_bare_session(counting):
    from legacy_towers.compat import tf

    (hook,) = counting.hooks
    first = first_ids(counting.per_tower[1])
    with tf.Session(config=config()) as session:
        hook.begin()
        for _ in range(2):  # a second after_create_session starts again
            hook.after_create_session(session, tf.train.Coordinator())
            seen = []
            with pytest.raises(tf.errors.OutOfRangeError, match="end of data"):
                while True:
                    context = tf.train.SessionRunContext(tf.train.SessionRunArgs({"x": first}), session)
                    seen.append(int(session.run(first, hook.before_run(context).feed_dict)))
            assert seen == [8, 24, 40, 56]
        hook.end(session)


def test_a_recovered_session_starts_again(counting):
    from legacy_towers.compat import tf

    class Preempt(tf.train.SessionRunHook):
        """Fails once, as a lost worker does, after the second run."""

        runs = 0

        def after_run(self, run_context, run_values):
            self.runs += 1
            if self.runs == 2:
                raise tf.errors.AbortedError(None, None, "lost a worker")

    first = first_ids(counting.per_tower[0])
    with tf.train.MonitoredTrainingSession(hooks=counting.hooks + [Preempt()], config=config()) as session:
        seen = [int(session.run(first)) for _ in range(3)]
    assert seen == [0, 0, 16]  # the second run is done again, in a new session


def test_an_error_of_the_callers_batches_comes_through_as_it_is():
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError

    def batches():
        yield np.zeros(2, np.float32)
        raise KeyError("no such file in the index")

    placeholders = inputs.tower_placeholders(tf.TensorSpec([None], tf.float32), 2)
    made = inputs.from_placeholders(placeholders, batches).build(["/cpu:0", "/cpu:1"])
    total = tf.add_n(made.per_tower)
    with pytest.raises(KeyError, match="no such file"):
        with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
            while True:
                session.run(total)

    odd = inputs.from_placeholders(placeholders, [np.zeros(3, np.float32)]).build(["/cpu:0", "/cpu:1"])
    with pytest.raises(InputError, match="global batch: 3 examples can't be split among 2 towers"):
        with tf.train.MonitoredTrainingSession(hooks=odd.hooks, config=config()) as session:
            session.run(total)


def test_the_generators_own_error_reaches_the_caller(drive, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.examples import Examples

    def numbers():
        yield {"x": [1.0, 2.0]}
        yield {"x": [1.0, 2.0, 3.0]}

    examples = Examples.from_generator(numbers, {"x": tf.TensorSpec([2], tf.float32)}, shuffle=False)
    batches = inputs.feed(examples, per_tower_batch_size=1).build(cpus)
    with pytest.raises(Exception, match=r"example 1 of the generator numbers: component 'x' has shape \(3,\)"):
        drive(batches)
