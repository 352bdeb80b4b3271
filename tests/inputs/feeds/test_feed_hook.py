"""The feed hook: runs that need a batch consume one, and other runs consume none."""
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


def fetching(tensor):
    """Returns a hook that fetches a number in every run, as SummarySaverHook does in some, and keeps it in `seen`."""
    from legacy_towers.compat import tf

    class Fetching(tf.train.SessionRunHook):
        seen = []

        def before_run(self, run_context):
            return tf.train.SessionRunArgs(tensor)

        def after_run(self, run_context, run_values):
            self.seen.append(int(run_values.results))

    return Fetching()


def test_reading_the_global_step_consumes_no_batch(counting):
    from legacy_towers.compat import tf

    step = tf.train.get_or_create_global_step()
    first = first_ids(counting.per_tower[0])
    with tf.train.MonitoredTrainingSession(hooks=counting.hooks, config=config()) as session:
        seen = []
        while not session.should_stop():
            assert session.run(step) == 0
            assert session.run({"nothing": []}) == {"nothing": []}
            seen.append(int(session.run(first)))
            assert session.run(step) == 0  # after the last batch too
    assert seen == [0, 16, 32, 48]


def test_fetches_of_another_hook_consume_no_batch(counting):
    from legacy_towers.compat import tf

    step = tf.train.get_or_create_global_step()
    first = first_ids(counting.per_tower[0])
    other = fetching(first_ids(counting.per_tower[1]))
    with tf.train.MonitoredTrainingSession(hooks=[other] + counting.hooks, config=config()) as session:
        seen = []
        for _ in range(4):
            session.run(step)
            session.run(step)
            seen.append(int(session.run(first)))
    assert seen == [0, 16, 32, 48]
    assert other.seen == [8, 8, 8, 24, 24, 24, 40, 40, 40, 56, 56, 56]


def test_summaries_of_a_tower_beside_a_run_that_reads_the_global_step(tmp_path):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    step = small_step(lt)
    saver = tf.train.SummarySaverHook(
        save_steps=1, output_dir=str(tmp_path), summary_op=tf.summary.merge(step.summaries)
    )
    with tf.train.MonitoredTrainingSession(hooks=[saver] + step.hooks, config=config()) as session:
        assert session.run(step.global_step) == 0
        done = 0
        while not session.should_stop():
            session.run(step.train_op)
            done += 1
            if done == 4:
                assert session.run(step.global_step) == 4
                break
    assert done == 4
    assert list(tmp_path.glob("events*"))


def small_step(lt):
    """Returns a step over 4 batches of two towers, with a summary in each tower."""
    from legacy_towers.compat import tf

    rows = np.arange(32, dtype=np.float32).reshape(32, 1) / 32

    def model_fn(batch, mode):
        weight = tf.get_variable("weight", [1], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(batch["x"] * weight - 1.0))
        tf.summary.scalar("own_loss", loss)
        return lt.TowerOutput(loss=loss)

    examples = lt.Examples.from_arrays({"x": rows}, shuffle=False)
    pipeline = lt.inputs.feed(examples, per_tower_batch_size=4, epochs=2)
    return lt.build_train_step(model_fn, pipeline, tf.train.GradientDescentOptimizer(0.1), ["/cpu:0", "/cpu:1"])


@pytest.mark.parametrize("session", ["monitored", "bare"])
def test_steps_outside_the_default_graph(session):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    # Another default graph: code that used the default graph would use the wrong one.
    with tf.Graph().as_default() as graph:
        step = small_step(lt)
        monitored = tf.train.MonitoredTrainingSession(hooks=step.hooks, config=config())
    assert tf.get_default_graph() is not graph
    losses = []
    if session == "monitored":
        with monitored:
            while not monitored.should_stop():
                losses.append(monitored.run([step.loss, step.train_op], {})[0])
    else:
        with tf.Session(graph=graph, config=config()) as bare:
            with step.running(bare) as run:
                while True:
                    losses.append(run(step.loss))
        monitored.close()
    assert len(losses) == 8
    assert losses[0] == 1 and losses[4] < 1  # the same batch, an epoch later


def fed_with_shared(feeds):
    """Returns the pipeline's batches, the shared placeholder, and tower 1's first number times the shared one."""
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    placeholders = inputs.tower_placeholders(
        {"x": tf.TensorSpec([None], tf.float32)}, 2, shared={"keep": tf.TensorSpec([], tf.float32)}
    )
    made = inputs.from_placeholders(placeholders, feeds).build(["/cpu:0", "/cpu:1"])
    return made, placeholders.shared["keep"], made.per_tower[1]["x"][0] * made.per_tower[1]["keep"]


def numbers(step):
    return {"x": np.arange(4, dtype=np.float32) + 10 * step}


@pytest.mark.parametrize("key", ["tensor", "name"])
@pytest.mark.parametrize("session", ["monitored", "bare"])
def test_shared_values_of_the_caller_take_precedence(session, key):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    feeds = [inputs.Feed(global_batch=numbers(step), shared={"keep": 0.5}) for step in range(3)]
    made, keep, product = fed_with_shared(feeds)
    mine = {keep if key == "tensor" else keep.name: 2.0}
    if session == "monitored":
        with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as monitored:
            seen = [monitored.run(product), monitored.run(product, mine), monitored.run(product)]
    else:
        (hook,) = made.hooks
        with tf.Session(config=config()) as bare:
            hook.after_create_session(bare, None)
            seen = []
            for feed in ({}, mine, {}):
                context = tf.train.SessionRunContext(tf.train.SessionRunArgs(product, feed), bare)
                fed = hook.before_run(context).feed_dict
                assert not set(fed) & set(feed)
                fed.update(feed)
                seen.append(bare.run(product, fed))
    assert seen == [2 * 0.5, 12 * 2.0, 22 * 0.5]


def test_shared_values_may_come_from_the_caller_alone():
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError

    made, keep, product = fed_with_shared([numbers(0), numbers(1), numbers(2)])
    step = tf.train.get_or_create_global_step()
    with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
        assert session.run(step) == 0
        assert [session.run(product, {keep: 3.0}), session.run(product, {keep: 1.0})] == [6.0, 12.0]
        with pytest.raises(InputError, match="shared: component 'keep' is missing"):
            session.run(product)


def test_an_invalid_batch_is_an_error_of_the_run_that_needs_it():
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError

    placeholders = inputs.tower_placeholders(tf.TensorSpec([None], tf.float32), 2)
    made = inputs.from_placeholders(placeholders, [np.zeros(4), np.zeros(3)]).build(["/cpu:0", "/cpu:1"])
    total = tf.add_n(made.per_tower)
    step = tf.train.get_or_create_global_step()
    with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
        session.run(total)
        assert session.run(step) == 0
        with pytest.raises(InputError, match="3 examples can't be split"):
            session.run(total)


@pytest.mark.parametrize("form, expected", [("iterator", [0, 10, 20]), ("function", [0, 0, 10])])
def test_a_batch_that_was_not_consumed_is_the_first_of_the_next_session(form, expected):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    placeholders = inputs.tower_placeholders(tf.TensorSpec([None], tf.float32), 2)

    def batches():
        return iter([numbers(i)["x"] for i in range(3)])

    made = inputs.from_placeholders(
        placeholders, batches if form == "function" else batches()
    ).build(["/cpu:0", "/cpu:1"])
    first = made.per_tower[0][0]
    step = tf.train.get_or_create_global_step()
    seen = []
    with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
        seen.append(int(session.run(first)))
        session.run(step)
    with tf.train.MonitoredTrainingSession(hooks=made.hooks, config=config()) as session:
        session.run(step)
        seen += [int(session.run(first)), int(session.run(first))]
    assert seen == expected


def config():
    from legacy_towers.compat import tf

    return tf.ConfigProto(device_count={"CPU": 2})


def test_runs_with_control_dependencies_on_placeholders_are_fed(counting):
    from legacy_towers.compat import tf

    with tf.control_dependencies([counting.per_tower[1]["id"]]):
        done = tf.constant(5)
    with tf.train.MonitoredTrainingSession(hooks=counting.hooks, config=config()) as session:
        assert session.run(done) == 5


def test_runs_whose_caller_feeds_a_placeholder_are_not_fed(counting):
    from legacy_towers.compat import tf

    first = first_ids(counting.per_tower[0])
    ids = counting.per_tower[0]["id"]
    with tf.train.MonitoredTrainingSession(hooks=counting.hooks, config=config()) as session:
        assert session.run(first, {ids: np.arange(8) + 100}) == 100
        assert session.run(first, {first: np.int64(7)}) == 7
        assert session.run(first) == 0


def test_running_calls_the_hook_in_a_plain_session(counting):
    from legacy_towers.compat import tf

    (hook,) = counting.hooks
    first = first_ids(counting.per_tower[1])
    with tf.Session(config=config()) as session:
        hook.begin()
        for _ in range(2):  # a second after_create_session starts again
            hook.after_create_session(session, tf.train.Coordinator())
            seen = []
            with pytest.raises(tf.errors.OutOfRangeError, match="end of the data"):
                while True:
                    context = tf.train.SessionRunContext(tf.train.SessionRunArgs({"x": first}), session)
                    seen.append(int(session.run(first, hook.before_run(context).feed_dict)))
            assert seen == [8, 24, 40, 56]
        hook.end(session)


def test_a_recovered_session_starts_again(counting):
    from legacy_towers.compat import tf

    class Preempt(tf.train.SessionRunHook):
        """Raises the error of a lost worker once, after the second run."""

        runs = 0

        def after_run(self, run_context, run_values):
            self.runs += 1
            if self.runs == 2:
                raise tf.errors.AbortedError(None, None, "lost a worker")

    first = first_ids(counting.per_tower[0])
    with tf.train.MonitoredTrainingSession(hooks=counting.hooks + [Preempt()], config=config()) as session:
        seen = [int(session.run(first)) for _ in range(3)]
    assert seen == [0, 0, 16]  # the second run is repeated in a new session


def test_errors_of_the_callers_batches_are_unchanged():
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
    from legacy_towers.data import Examples

    def numbers():
        yield {"x": [1.0, 2.0]}
        yield {"x": [1.0, 2.0, 3.0]}

    examples = Examples.from_generator(numbers, {"x": tf.TensorSpec([2], tf.float32)}, shuffle=False)
    batches = inputs.feed(examples, per_tower_batch_size=1).build(cpus)
    with pytest.raises(Exception, match=r"example 1 of the generator numbers: component 'x' has the shape \(3,\)"):
        drive(batches)
