"""Staging: the same batches as without it, on the towers' devices ahead of their steps, and nothing that hangs."""
import threading
import time

import numpy as np
import pytest
import waiting

WAYS = ["feed", "queue", "dataset:split", "dataset:next_per_tower", "dataset:sharded", "dataset:per_device"]
COUNT = 64


def ids_of(steps):
    return [[tower["id"].tolist() for tower in step] for step in steps]


def staging_threads():
    return [thread for thread in threading.enumerate() if "staging" in thread.name]


@pytest.fixture(autouse=True)
def no_thread_is_left():
    yield
    assert waiting.happens(lambda: not staging_threads())


@pytest.fixture
def staged():
    from legacy_towers.inputs.staged import staged

    return staged


@pytest.fixture
def numbered():
    """Returns a function that makes batches for two towers, [[2k, 2k+1]] a step, by a way in."""
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    def make(way, steps):
        rows = [np.arange(2 * step, 2 * step + 2) for step in range(steps)]
        if way == "from_placeholders":
            placeholders = inputs.tower_placeholders({"id": tf.TensorSpec([None], tf.int64)}, 2)
            return inputs.from_placeholders(placeholders, lambda: iter([{"id": row} for row in rows]))
        dataset = tf.data.Dataset.range(2 * steps).batch(2).map(lambda ids: {"id": ids})
        if way == "from_dataset":
            return inputs.from_dataset(dataset)
        queue = tf.FIFOQueue(10, [tf.int64], [[]])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(counted(tf, 2 * steps))]))
        return inputs.from_tensors(global_batch={"id": queue.dequeue_many(2)})

    def counted(tf, limit):
        counter = tf.get_local_variable("counter", [], tf.int64, tf.zeros_initializer(), use_resource=False)
        return counter.count_up_to(limit)

    return make


@pytest.mark.parametrize("ahead", [1, 3])
@pytest.mark.parametrize("way", WAYS)
def test_an_epoch_loses_nothing(way, ahead, staged, sources, make_input, drive, cpus):
    batches = staged(make_input(way, sources("tfrecords"), per_tower_batch_size=4, epochs=1), ahead).build(cpus)
    steps = drive(batches)
    assert len(steps) == 4
    assert sorted(np.ravel(ids_of(steps)).tolist()) == list(range(COUNT))
    for step in steps:
        for tower in step:
            expected = np.stack([[i, i / 2, -i] for i in tower["id"]]).astype(np.float32)
            np.testing.assert_array_equal(tower["part"]["x"], expected)


@pytest.mark.parametrize("way", WAYS)
def test_the_fixed_order_stays(way, staged, sources, make_input, drive, cpus):
    batches = staged(make_input(way, sources("arrays"), per_tower_batch_size=3, order="fixed")).build(cpus)
    assert ids_of(drive(batches, steps=20)) == (np.arange(20 * 12) % COUNT).reshape(20, 4, 3).tolist()


@pytest.mark.parametrize("ahead", [1, 2, 5])
@pytest.mark.parametrize("steps", [0, 1, 2, 5])
@pytest.mark.parametrize("way", ["from_placeholders", "from_dataset", "from_tensors"])
def test_the_data_ends_where_it_ends_without_staging(way, steps, ahead, staged, numbered, drive):
    batches = staged(numbered(way, steps), ahead).build(["/cpu:0", "/cpu:1"])
    assert ids_of(drive(batches)) == np.arange(2 * steps).reshape(steps, 2, 1).tolist()


def test_a_staged_batch_is_like_the_batch_itself(staged, drive):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    def element(number):
        return {
            "name": tf.strings.as_string(number[:, 0]),
            "words": tf.sparse.from_dense(number % 3),
            "rows": tf.RaggedTensor.from_tensor(number, padding=3),
            "pair": (number, (tf.cast(number, tf.float64),)),
        }

    rows = np.arange(48).reshape(12, 4)
    dataset = tf.data.Dataset.from_tensor_slices(rows).batch(4, drop_remainder=True).map(
        element
    )
    plain = inputs.from_dataset(dataset).build(["/cpu:0", "/cpu:1"])
    batches = staged(inputs.from_dataset(dataset)).build(["/cpu:0", "/cpu:1"])
    for one, other in zip(tf.nest.flatten(plain.per_tower), tf.nest.flatten(batches.per_tower)):
        assert type(one) is type(other)
        assert one.shape.as_list() == other.shape.as_list()
        assert one.dtype == other.dtype
    for tower in range(2):
        for tensor in tf.nest.flatten(batches.per_tower[tower], expand_composites=True):
            assert tensor.device.upper().endswith("CPU:{}".format(tower))
            assert tensor.name.startswith("tower_{}/".format(tower))
    assert drive(batches) and str(drive(batches)) == str(drive(plain))


def test_counts_and_modes_pass_through(staged, drive):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    class Short(inputs.Input):
        def build(self, devices):
            number = tf.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next()
            batches = inputs.from_tensors(per_tower=[{"id": [number]}, {"id": [number + 10]}]).build(devices)
            counts = [tf.cast(number, tf.int32), tf.cast(number * 2, tf.int32)]
            return batches._replace(counts=counts, modes=["train", "eval"], padded=True)

    batches = staged(Short(), ahead=2).build(["/cpu:0", "/cpu:1"])
    assert (batches.modes, batches.padded) == (["train", "eval"], True)
    assert [count.dtype for count in batches.counts] == [tf.int32] * 2
    assert [op.type for op in batches.pulls] == ["MapPeek"] * 2
    assert batches.plan.details["staged"] == "2 steps ahead"
    told = batches._replace(per_tower=[(batch["id"], count) for batch, count in zip(batches.per_tower, batches.counts)])
    assert drive(told) == [
        [([0], 0), ([10], 0)], [([1], 1), ([11], 2)], [([2], 2), ([12], 4)],
    ]


def test_a_train_step_has_the_same_losses(staged, sources, make_input):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    def losses(wrap):
        with tf.Graph().as_default():
            def model(batch, mode):
                weights = tf.get_variable("w", [3, 1], initializer=tf.ones_initializer())
                return lt.TowerOutput(loss=tf.reduce_mean(tf.square(tf.matmul(batch["part"]["x"], weights))))

            step = lt.build_train_step(
                model, wrap(make_input("dataset:split", sources("arrays"), per_tower_batch_size=4, order="fixed")),
                tf.train.GradientDescentOptimizer(1e-5), lt.devices.cpus(2),
            )
            with tf.Session(config=lt.session_config(logical_cpus=2)) as session, step.running(session) as run:
                return [run(step.loss) for _ in range(20)]

    assert losses(staged) == losses(lambda way: way)


def session_for(batches, **options):
    from legacy_towers.compat import tf

    return tf.train.MonitoredTrainingSession(
        hooks=batches.hooks, config=tf.ConfigProto(device_count={"CPU": 2}), **options
    )


def test_only_a_run_that_needs_a_batch_uses_one_up(staged, numbered):
    from legacy_towers.compat import tf

    step = tf.train.get_or_create_global_step()
    batches = staged(numbered("from_dataset", 3)).build(["/cpu:0", "/cpu:1"])
    first, second = [tf.identity(tower["id"]) for tower in batches.per_tower]
    with session_for(batches) as session:
        assert session.run(step) == 0
        assert session.run(first) == [0]
        for _ in range(3):
            session.run(step)
        # All towers' batches are used up by a run that fetches one tower's.
        assert session.run([first, second]) == [2, 3]
        assert session.run(second) == [5]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(first)
        assert session.run(step) == 0


def test_another_hook_may_need_a_batch_in_any_run(staged, numbered):
    from legacy_towers.compat import tf

    seen = []

    class Looks(tf.train.SessionRunHook):
        def before_run(self, run_context):
            return tf.train.SessionRunArgs(looked_at)

        def after_run(self, run_context, run_values):
            seen.append(run_values.results.tolist())

    step = tf.train.get_or_create_global_step()
    batches = staged(numbered("from_dataset", 3)).build(["/cpu:0", "/cpu:1"])
    looked_at = tf.concat([tower["id"] for tower in batches.per_tower], 0)
    train = tf.identity(looked_at)
    with session_for(batches._replace(hooks=batches.hooks + [Looks()])) as session:
        for fetch in (step, train, step, step, train):
            session.run(fetch)
    # Lent, used up, lent, lent, used up.
    assert seen == [[0, 1], [0, 1], [2, 3], [2, 3], [2, 3]]


def test_a_failed_run_leaves_the_towers_in_step(staged, numbered):
    from legacy_towers.compat import tf

    batches = staged(numbered("from_dataset", 6)).build(["/cpu:0", "/cpu:1"])
    towers = [tf.identity(tower["id"]) for tower in batches.per_tower]
    fails = tf.debugging.check_numerics(tf.cast(towers[0], tf.float32) / 0.0, "too large")
    with session_for(batches) as session:
        assert session.run(towers) == [[0], [1]]
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run([fails] + towers)
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(fails)
        assert session.run(towers) == [[6], [7]]
        assert session.run(towers) == [[8], [9]]


def test_a_run_may_fill_the_queue_that_the_batches_come_from(staged):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    queue = tf.FIFOQueue(10, [tf.int64], [[]])
    number = tf.placeholder(tf.int64, [])
    enqueue = queue.enqueue(number)
    batches = staged(inputs.from_tensors(global_batch={"id": queue.dequeue_many(2)})).build(["/cpu:0", "/cpu:1"])
    towers = [tf.identity(tower["id"]) for tower in batches.per_tower]
    with session_for(batches) as session:
        for value in range(4):
            session.run(enqueue, {number: value})
        assert session.run(towers) == [[0], [1]]
        assert session.run(towers) == [[2], [3]]


def test_an_error_of_the_data_comes_at_its_step_and_the_rest_goes_on(staged):
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

    plain = outcomes(lambda way_in: way_in)
    assert plain[2] == "error" and len(plain) == 5
    assert outcomes(lambda way_in: staged(way_in, ahead=2)) == plain


def test_an_iterator_of_the_callers_may_start_again_after_its_end(staged):
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
            time.sleep(0.2)  # nothing is pulled meanwhile


def test_an_error_of_python_code_keeps_its_traceback(staged):
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


def test_what_stopped_a_queue_reaches_the_caller(staged):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    counter = tf.get_local_variable("counter", [], tf.float32, tf.ones_initializer(), use_resource=True)
    number = tf.debugging.check_numerics(1.0 / (2.0 - counter.assign_add(0.25)), "two is bad")
    parsed = tf.train.batch([number], 2)
    batches = staged(inputs.from_tensors(global_batch={"id": parsed})).build(["/cpu:0", "/cpu:1"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="two is bad"), session_for(batches) as session:
        while not session.should_stop():
            session.run([tower["id"] for tower in batches.per_tower])


@pytest.mark.parametrize("way", ["from_placeholders", "from_dataset"])
def test_a_session_that_lives_on_starts_clean(way, staged, numbered):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    def model(batch, mode):
        weight = tf.get_variable("w", [], initializer=tf.ones_initializer())
        return lt.TowerOutput(loss=tf.reduce_sum(weight * tf.cast(batch["id"], tf.float32)), predictions=batch["id"])

    way_in = staged(numbered(way, 6), ahead=2)
    step = lt.build_train_step(model, way_in, tf.train.GradientDescentOptimizer(0.0), lt.devices.cpus(2))
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


def test_a_session_that_is_recovered_starts_anew(staged, numbered):
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
    from legacy_towers.inputs import staging_thread

    monkeypatch.setattr(staging_thread, "_GRACE_IN_SESSION_SECONDS", 0.2)
    queue = tf.FIFOQueue(10, [tf.int64], [[]])  # nobody fills it, and nobody closes it
    batches = staged(inputs.from_tensors(global_batch={"id": queue.dequeue_many(2)})).build(["/cpu:0", "/cpu:1"])
    towers = [tower["id"] for tower in batches.per_tower]
    with pytest.raises(KeyboardInterrupt), session_for(batches) as session:
        interrupt_in(0.5)
        session.run(towers)


def test_a_source_that_never_comes_back_holds_up_nothing(staged, monkeypatch):
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.errors import InputError
    from legacy_towers.inputs import staging_thread

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
    with pytest.warns(UserWarning), pytest.raises(InputError, match="still makes a batch of before"):
        with session_for(batches):
            pass
    goes_on.set()


def test_the_callers_array_may_be_written_again(staged):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    def batches_of():
        mine = inputs.aligned_empty((2, 64), np.float32)
        for step in range(60):
            mine[:] = step
            yield {"x": mine}
            mine[:] = -1

    placeholders = inputs.tower_placeholders({"x": tf.TensorSpec([1, 64], tf.float32)}, 2)
    batches = staged(inputs.from_placeholders(placeholders, batches_of), ahead=3).build(["/cpu:0", "/cpu:1"])
    lowest = [tf.reduce_min(tower["x"]) for tower in batches.per_tower]
    highest = [tf.reduce_max(tower["x"]) for tower in batches.per_tower]
    seen = []
    with session_for(batches) as session:
        while not session.should_stop():
            time.sleep(0.002)  # the generator is ahead
            seen.append(session.run([lowest, highest]))
    assert seen == [[[step] * 2] * 2 for step in range(60)]
    hook = batches.hooks[0]
    assert hook.fed_bytes == hook.copied_bytes == 60 * 2 * 64 * 4


def test_the_wait_is_told(staged):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    def batches_of():
        for _ in range(4):
            time.sleep(0.1)
            yield {"id": np.arange(2)}

    placeholders = inputs.tower_placeholders({"id": tf.TensorSpec([None], tf.int64)}, 2)
    batches = staged(inputs.from_placeholders(placeholders, batches_of)).build(["/cpu:0", "/cpu:1"])
    with session_for(batches) as session:
        while not session.should_stop():
            session.run([tower["id"] for tower in batches.per_tower])
    assert batches.hooks[0].waited_seconds > 0.3  # it can't be less, however fast the machine


def test_what_can_not_be_staged_is_refused(staged, sources, make_input, cpus):
    from legacy_towers.errors import ArgumentError

    way_in = make_input("feed", sources("arrays"), per_tower_batch_size=4)
    with pytest.raises(ArgumentError, match="staged already; give ahead=2"):
        staged(staged(way_in))
    with pytest.raises(ArgumentError, match="staged needs a way in, .* not list"):
        staged([])
    with pytest.raises(ArgumentError, match="ahead must be a whole number of at least 1, not 0"):
        staged(way_in, ahead=0)


def test_a_run_without_the_hooks_says_so(staged, numbered):
    from legacy_towers.compat import tf

    batches = staged(numbered("from_dataset", 3)).build(["/cpu:0", "/cpu:1"])
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="no batch is staged for this run: run it in a Monit"):
            session.run(batches.per_tower[1]["id"])


def test_what_is_fed_too_late_is_refused(staged):
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.errors import ArgumentError, InputError

    placeholders = inputs.tower_placeholders(
        {"id": tf.TensorSpec([None], tf.int64)}, 2, shared={"keep": tf.TensorSpec([], tf.float32)}
    )
    feeds = [inputs.Feed(global_batch={"id": np.arange(2)}, shared={"keep": number}) for number in (0.5, 0.25)]
    batches = staged(inputs.from_placeholders(placeholders, lambda: iter(feeds))).build(["/cpu:0", "/cpu:1"])
    keeps = [tower["keep"] for tower in batches.per_tower]
    keep = placeholders.shared["keep"]
    double = keep * 2.0
    with session_for(batches) as session:
        with pytest.raises(ArgumentError, match="'shared/keep' is fed in a run whose batch was staged earlier"):
            session.run(keeps, {keep: 1.0})
        with pytest.raises(InputError, match="the model reads a placeholder of the way in itself.*'shared/keep'"):
            session.run([keeps, double])
        assert session.run(keeps) == [0.5, 0.5]
        assert session.run(keeps) == [0.25, 0.25]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_eighty_sessions_start_and_stop(way, staged, sources, make_input, cpus):
    from legacy_towers.compat import tf

    batches = staged(make_input(way, sources("arrays"), per_tower_batch_size=4), ahead=2).build(cpus)
    ids = [tf.identity(tower["id"]) for tower in batches.per_tower]
    for cycle in range(80):
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


def test_a_session_ends_while_a_batch_takes_long(staged, third_waits):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    dataset = tf.data.Dataset.range(9).map(third_waits)
    batches = staged(inputs.from_dataset(dataset)).build(["/cpu:0"])
    with tf.train.MonitoredTrainingSession(hooks=batches.hooks) as session:
        assert [session.run(batches.per_tower[0]).tolist() for _ in range(2)] == [[0], [1]]
        assert third_waits.pulling.wait(60)
        # After what a pull inside the session is given to end: its batch comes when nobody wants it any more.
        threading.Timer(2.0, third_waits.go_on.set).start()
