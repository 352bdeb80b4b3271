"""`lt.inputs.staged`: the same batches as without it, and which runs consume them."""
import time

import numpy as np
import pytest
import waiting
from diagonals import diagonals
from staging import session_for, staging_threads

PIPELINES = ["feed", "queue", "dataset:split", "dataset:next_per_tower", "dataset:sharded", "dataset:per_device"]
COUNT = 64


def ids_of(steps):
    return [[tower["id"].tolist() for tower in step] for step in steps]


@pytest.fixture(autouse=True)
def no_thread_is_left():
    yield
    assert waiting.happens(lambda: not staging_threads())


@pytest.mark.parametrize("ahead", [1, 3])
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_staged_epoch_has_every_example(pipeline, ahead, staged, sources, make_input, drive, cpus):
    batches = staged(make_input(pipeline, sources("tfrecords"), per_tower_batch_size=4, epochs=1), ahead).build(cpus)
    steps = drive(batches)
    assert len(steps) == 4
    assert sorted(np.ravel(ids_of(steps)).tolist()) == list(range(COUNT))
    for step in steps:
        for tower in step:
            expected = np.stack([[i, i / 2, -i] for i in tower["id"]]).astype(np.float32)
            np.testing.assert_array_equal(tower["part"]["x"], expected)


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_staged_keeps_the_fixed_order(pipeline, staged, sources, make_input, drive, cpus):
    batches = staged(make_input(pipeline, sources("arrays"), per_tower_batch_size=3, order="fixed")).build(cpus)
    assert ids_of(drive(batches, steps=20)) == (np.arange(20 * 12) % COUNT).reshape(20, 4, 3).tolist()


@pytest.mark.parametrize(
    "pipeline, steps, ahead",
    diagonals(3, ["from_placeholders", "from_dataset", "from_tensors"], [0, 1, 2, 5], [1, 2, 5]),
)
def test_staged_data_ends_at_the_same_step(pipeline, steps, ahead, staged, numbered, drive):
    batches = staged(numbered(pipeline, steps), ahead).build(["/cpu:0", "/cpu:1"])
    assert ids_of(drive(batches)) == np.arange(2 * steps).reshape(steps, 2, 1).tolist()


def test_staged_batches_keep_structure_and_static_shapes(staged, drive):
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


def test_staged_keeps_counts_and_modes(staged, drive):
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
    assert [op.type for op in batches.input_ops] == ["MapPeek"] * 2
    assert batches.plan.details["staged"] == "2 steps ahead"
    counted = zip(batches.per_tower, batches.counts)
    fetched = batches._replace(per_tower=[(batch["id"], count) for batch, count in counted])
    assert drive(fetched) == [
        [([0], 0), ([10], 0)], [([1], 1), ([11], 2)], [([2], 2), ([12], 4)],
    ]


PLACES = [
    (["/cpu:0", "/cpu:1"], True),
    (["/job:worker/task:1/cpu:0", "/job:worker/task:1/cpu:1"], True),
    (["/job:worker/task:0/cpu:0", "/job:worker/task:1/cpu:0"], False),
    (["/cpu:0", "/gpu:0"], False),
    (["/gpu:0", "/gpu:1"], False),
]


@pytest.mark.parametrize("devices, in_vain", PLACES, ids=[" ".join(devices) for devices, _ in PLACES])
def test_the_plan_says_where_staging_does_not_pay(staged, numbered, devices, in_vain):
    plan = staged(numbered("from_dataset", 3)).build(devices).plan
    assert ("staging: does not pay on these devices: all towers are CPUs of one machine" in str(plan)) == in_vain


def test_staged_step_has_the_same_losses(staged, sources, make_input):
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

    assert losses(staged) == losses(lambda pipeline: pipeline)


def test_only_a_run_that_needs_a_batch_consumes_one(staged, numbered):
    from legacy_towers.compat import tf

    step = tf.train.get_or_create_global_step()
    batches = staged(numbered("from_dataset", 3)).build(["/cpu:0", "/cpu:1"])
    first, second = [tf.identity(tower["id"]) for tower in batches.per_tower]
    with session_for(batches) as session:
        assert session.run(step) == 0
        assert session.run(first) == [0]
        for _ in range(3):
            session.run(step)
        # A run that fetches one tower's batch consumes those of all towers.
        assert session.run([first, second]) == [2, 3]
        assert session.run(second) == [5]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(first)
        assert session.run(step) == 0


def test_fetches_of_another_hook_read_the_next_batch(staged, numbered):
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
    # Read, consumed, read, read, consumed.
    assert seen == [[0, 1], [0, 1], [2, 3], [2, 3], [2, 3]]


def test_a_failed_run_keeps_the_towers_at_the_same_step(staged, numbered):
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


def test_a_run_may_enqueue_into_the_staged_queue(staged):
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


def test_staged_feeds_copy_the_callers_array(staged):
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


def test_waited_seconds_of_staging(staged):
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


def test_errors_of_staged(staged, sources, make_input, cpus):
    from legacy_towers.errors import ArgumentError

    inputs = make_input("feed", sources("arrays"), per_tower_batch_size=4)
    with pytest.raises(ArgumentError, match="staged already; give ahead=2"):
        staged(staged(inputs))
    with pytest.raises(ArgumentError, match="pipeline must be an lt.inputs.Input, got list; create one with"):
        staged([])
    with pytest.raises(ArgumentError, match="ahead must be a whole number of at least 1, got 0"):
        staged(inputs, ahead=0)


def test_a_run_without_hooks_is_an_error(staged, numbered):
    from legacy_towers.compat import tf

    batches = staged(numbered("from_dataset", 3)).build(["/cpu:0", "/cpu:1"])
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="no batch is staged for this run: use a MonitoredS"):
            session.run(batches.per_tower[1]["id"])


def test_feeding_a_staged_pipeline_is_an_error(staged):
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
        with pytest.raises(InputError, match="the model reads a placeholder of the input pipeline.*'shared/keep'"):
            session.run([keeps, double])
        assert session.run(keeps) == [0.5, 0.5]
        assert session.run(keeps) == [0.25, 0.25]
