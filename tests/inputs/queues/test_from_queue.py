"""`lt.inputs.from_queue`: the towers' batches, who fills the queue, how it ends, and error messages."""
import threading
import time
import traceback

import numpy as np
import pytest
import waiting

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.inputs.queues.hooks import FeedQueueHook

COUNT = 50
CONFIG = {"logical_cpus": 4}


@pytest.fixture(autouse=True)
def no_thread_is_left():
    before = set(threading.enumerate())
    yield
    left = waiting.threads_since(before)
    assert not left, left


def run_steps(batches, steps=None):
    """Returns a list of (towers' batches, true counts) per step."""
    # Through identities: a session returns fed values as they are, without running an operation.
    wanted = tf.nest.map_structure(tf.identity, [batches.per_tower, batches.counts or []])
    seen = []
    with tf.train.MonitoredTrainingSession(hooks=batches.hooks, config=lt.session_config(**CONFIG)) as session:
        while not session.should_stop() and (steps is None or len(seen) < steps):
            seen.append(session.run(wanted))
    return seen


def ids_of(seen):
    """Returns the true ids per step and tower."""
    return [
        [tower["id"][:count].tolist() for tower, count in zip(towers, counts or [None] * len(towers))]
        for towers, counts in seen
    ]


def make_queue(kind, capacity=20):
    shapes = dict(shapes=[[16], []], names=["x", "id"])
    if kind == "shuffle":
        return tf.RandomShuffleQueue(capacity, capacity // 2, [tf.int64, tf.int64], **shapes)
    if kind == "padding":
        return tf.PaddingFIFOQueue(capacity, [tf.int64, tf.int64], [[None], []], names=["x", "id"])
    return tf.FIFOQueue(capacity, [tf.int64, tf.int64], **shapes)


def rewriting(batch_size, aligned):
    """Returns a generator function that yields the same buffer each time, with new values."""

    def rows():
        rows = batch_size or 1
        x = lt.inputs.aligned_empty([rows, 16], np.int64) if aligned else np.zeros(rows * 16 + 1, np.int64)[1:]
        x = x.reshape(rows, 16)
        for first in range(0, COUNT, rows):
            ids = np.arange(first, min(first + rows, COUNT))
            x[:len(ids)] = ids[:, None]
            yield {"x": x[0], "id": first} if batch_size is None else {"x": x[:len(ids)], "id": ids}
            x[:] = -1

    return rows


@pytest.mark.parametrize("kind", ["fifo", "shuffle", "padding"])
@pytest.mark.parametrize("batch_size", [None, 1, 8], ids=["one by one", "batches of 1", "batches of 8"])
@pytest.mark.parametrize("aligned", [True, False], ids=["aligned", "unaligned"])
def test_feed_with_may_reuse_its_arrays(kind, batch_size, aligned):
    batches = lt.inputs.from_queue(
        make_queue(kind), per_tower_batch_size=3, feed_with=rewriting(batch_size, aligned), remainder="short"
    ).build(lt.devices.cpus(4))
    seen = run_steps(batches)
    for towers, _ in seen:
        for tower in towers:
            np.testing.assert_array_equal(tower["x"], np.repeat(tower["id"][:, None], 16, axis=1))
    assert sorted(sum(sum(ids_of(seen), []), [])) == list(range(COUNT))
    hook = batches.hooks[1]
    assert hook.fed_bytes == COUNT * 17 * 8
    assert hook.copied_bytes == (COUNT * 17 * 8 if batch_size is None else 0)


@pytest.mark.parametrize("prefetch", [None, 1, 3])
@pytest.mark.parametrize("remainder", ["drop", "short", "pad"])
def test_fixed_order_and_end_of_data(remainder, prefetch):
    batches = lt.inputs.from_queue(
        make_queue("fifo"), global_batch_size=12, order="fixed", remainder=remainder, prefetch=prefetch,
        feed_with=rewriting(8, True),
    ).build(lt.devices.cpus(4))
    seen = run_steps(batches)
    expected = np.arange(48).reshape(4, 4, 3).tolist()
    if remainder == "drop":
        assert batches.counts is None
    else:
        expected.append([[48, 49], [], [], []])
        assert [int(count) for count in seen[-1][1]] == [2, 0, 0, 0]
        sizes = [len(tower["id"]) for tower in seen[-1][0]]
        assert sizes == ([2, 1, 1, 1] if remainder == "short" else [3, 3, 3, 3])
        assert all(0 <= number < COUNT for tower in seen[-1][0] for number in tower["id"])
    assert ids_of(seen) == expected
    assert batches.padded == (remainder == "pad")


@pytest.mark.parametrize("prefetch", [None, 2])
@pytest.mark.parametrize("remainder", ["drop", "short", "pad"])
def test_a_queue_of_whole_batches(remainder, prefetch):
    queue = tf.FIFOQueue(9, [tf.int64], [[3]])
    batches = lt.inputs.from_queue(
        queue, remainder=remainder, prefetch=prefetch, order="fixed",
        feed_with=lambda: (np.arange(first, first + 3) for first in range(0, 30, 3)),
    ).build(lt.devices.cpus(4))
    seen = [
        [tower[:count].tolist() for tower, count in zip(towers, counts or [3] * 4)] for towers, counts in
        run_steps(batches)
    ]
    assert seen[:2] == np.arange(24).reshape(2, 4, 3).tolist()
    assert seen[2:] == ([] if remainder == "drop" else [[[24, 25, 26], [27, 28, 29], [], []]])
    assert (batches.plan.per_tower_batch_size, batches.plan.global_batch_size) == (3, 12)


def test_a_queue_of_batches_of_unknown_shape():
    queue = tf.FIFOQueue(9, [tf.int64, tf.string])
    rows = [([number] * (number + 1), [str(number).encode()]) for number in range(8)]
    batches = lt.inputs.from_queue(queue, feed_with=lambda: iter(rows), order="fixed").build(lt.devices.cpus(4))
    seen = [(tower[0].tolist(), tower[1].tolist()) for towers, _ in run_steps(batches) for tower in towers]
    assert seen == rows
    assert batches.plan.per_tower_batch_size is None


@pytest.mark.parametrize("kind", ["queue runners", "own threads"])
def test_a_queue_filled_by_queue_runners_or_by_the_caller(kind):
    queue = tf.FIFOQueue(20, [tf.int64], [[]])
    row = tf.placeholder(tf.int64, [])
    enqueue, close = queue.enqueue(row), queue.close()
    if kind == "queue runners":
        number = tf.train.range_input_producer(COUNT, num_epochs=1, shuffle=False).dequeue()
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(tf.cast(number, tf.int64))] * 2))
    batches = lt.inputs.from_queue(queue, per_tower_batch_size=3).build(lt.devices.cpus(4))
    assert ("queue runners, 2 thread(s)" if kind == "queue runners" else "filled by: the caller") in str(batches.plan)
    seen = []
    with tf.Session(config=lt.session_config(**CONFIG)) as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)

        def fill():
            for number in range(COUNT):
                session.run(enqueue, {row: number})
            session.run(close)

        if kind == "own threads":
            threads.append(threading.Thread(target=fill))
            threads[-1].start()
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                seen.extend(np.concatenate(session.run(batches.per_tower)).tolist())
        coordinator.request_stop()
        coordinator.join(threads)
    assert len(seen) == 48
    assert len(set(seen)) == 48


def make_step(feed_with, queue=None):
    def model(batch, mode):
        weight = tf.get_variable("weight", [], tf.float32, tf.zeros_initializer())
        return lt.TowerOutput(loss=tf.reduce_mean(tf.square(weight - tf.cast(batch, tf.float32))))

    queue = tf.FIFOQueue(20, [tf.int64], [[]]) if queue is None else queue
    inputs = lt.inputs.from_queue(queue, per_tower_batch_size=2, feed_with=feed_with)
    return lt.build_train_step(model, inputs, tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(4))


def drive(step, how, steps=10 ** 6, before_the_end=lambda: None):
    done = 0
    if how == "bare":
        with tf.Session(config=lt.session_config(**CONFIG)) as session, step.running(session) as run:
            while done < steps and not run.should_stop():
                run()
                done += 1
            before_the_end()
    else:
        with tf.train.MonitoredTrainingSession(hooks=step.hooks, config=lt.session_config(**CONFIG)) as session:
            while done < steps and not session.should_stop():
                session.run(step.train_op)
                done += 1
            before_the_end()
    return done


HOW = pytest.mark.parametrize("how", ["bare", "monitored"])


@HOW
@pytest.mark.filterwarnings("ignore:beside the error that is raised")  # both threads may report it
@pytest.mark.parametrize("when", ["at once", "in the middle", "while a step waits"])
def test_errors_of_feed_with_keep_their_traceback(how, when):
    def damaged():
        for number in range({"at once": 0, "in the middle": 60, "while a step waits": 4}[when]):
            yield number
        if when == "while a step waits":
            time.sleep(0.3)  # by now the step waits for 4 more examples
        raise KeyError("row 60 is damaged")

    raised = None
    start = time.time()
    try:
        drive(make_step(damaged), how)
    except KeyError as error:
        raised = error
        shown = traceback.format_exc()
    assert raised is not None and raised.args == ("row 60 is damaged",)
    assert "in damaged" in shown
    assert time.time() - start < 60  # less than the time limit of 120 s for threads; the documented time is 5 s


@HOW
@pytest.mark.parametrize("waits", ["for space", "in the generator"])
def test_an_early_stop_ends_the_threads_and_closes_the_generators(how, waits):
    closed = []

    def endless():
        try:
            number = 0
            while True:
                if waits == "in the generator":
                    time.sleep(0.02)
                yield number
                number += 1
        finally:
            closed.append(threading.current_thread())

    assert drive(make_step([endless, endless]), how, steps=3) == 3
    assert len(closed) == 2
    assert threading.current_thread() not in closed


@HOW
def test_a_thread_that_does_not_end_is_a_warning(how, monkeypatch):
    from legacy_towers.inputs.queues import hooks as queue_hooks

    monkeypatch.setattr(queue_hooks, "_GRACE_SECONDS", 0.2)
    free, reached = threading.Event(), threading.Event()
    thread = []

    def stuck():
        for number in range(16):
            yield number
        thread.append(threading.current_thread())
        reached.set()
        free.wait(60)

    with pytest.warns(UserWarning, match="feed_with is still waiting or computing"):
        drive(make_step(stuck), how, 2, reached.wait)
    free.set()
    thread[0].join()


@HOW
def test_each_session_restarts_feed_with(how):
    step = make_step(lambda: iter(range(40)))
    assert [drive(step, how) for _ in range(3)] == [5, 5, 5]
    operations = len(tf.get_default_graph().get_operations())
    drive(step, how)
    if how == "bare":
        assert len(tf.get_default_graph().get_operations()) == operations


def test_feed_with_of_a_closed_queue_is_an_error():
    step = make_step(lambda: iter(range(40)))
    with tf.Session(config=lt.session_config(**CONFIG)) as session:
        with step.running(session) as run:
            while True:
                run()
        with pytest.raises(InputError, match="the queue 'fifo_queue' is closed in this session"):
            with step.running(session):
                pass


def test_feed_with_may_end_with_out_of_range_of_another_session():
    def numbers():
        for number in range(40):
            yield number
        raise tf.errors.OutOfRangeError(None, None, "the end of the data")

    assert drive(make_step(numbers), "monitored") == 5


ITEMS = {
    "missing": (lambda: iter([{"x": np.zeros(16, np.int64)}]), "item 0 of feed_with: component 'id' is missing"),
    "shape": (lambda: iter([{"x": np.zeros(3, np.int64), "id": 1}]),
        r"item 0 of feed_with, component 'x': the placeholder has the shape \(16,\), got a value of shape \(3"),
    "dtype": (lambda: iter([{"x": np.zeros(16), "id": 1}]),
        "component 'x': the placeholder has the type int64, got float64"),
    "sizes": (
        lambda: iter([{"x": np.zeros([2, 16], np.int64), "id": [1, 2, 3]}]),
        "components have different numbers of examples: 2, 3",
    ),
}


@pytest.mark.parametrize("case", sorted(ITEMS))
def test_errors_name_the_item_that_does_not_fit(case):
    feed_with, message = ITEMS[case]
    batches = lt.inputs.from_queue(make_queue("fifo"), per_tower_batch_size=2, feed_with=feed_with)
    batches = batches.build(lt.devices.cpus(2))
    with pytest.raises(InputError, match=message):
        run_steps(batches)


def test_operations_are_on_the_device_of_the_queue():
    with tf.device("/job:ps/task:1/device:CPU:0"):
        queue = tf.FIFOQueue(20, [tf.int64], [[]])
    with tf.device("/gpu:3"):
        batches = lt.inputs.from_queue(
            queue, per_tower_batch_size=2, feed_with=lambda: iter(range(9)), prefetch=1
        ).build(["/job:worker/task:0/gpu:0", "/job:worker/task:1/gpu:0", "/job:worker/task:1/gpu:1"])
    assert [each.device for each in batches.input_ops] == [
        "/job:worker/task:0/device:CPU:0", "/job:worker/task:1/device:CPU:0"
    ]
    graph = tf.get_default_graph()
    many = [each for each in graph.get_operations() if each.type in ("QueueDequeueManyV2", "QueueEnqueueManyV2")]
    assert len(many) == 4
    assert {operation.device for operation in many} == {"/job:ps/task:1/device:CPU:0"}


def test_the_hook_keeps_no_reference_to_a_session():
    hook = FeedQueueHook(tf.FIFOQueue(20, [tf.int64], [[]]), [lambda: iter(range(9))])
    before = dict(vars(hook))
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        hook.after_create_session(session, coordinator)
        coordinator.request_stop()
        coordinator.join()
    assert set(vars(hook)) == set(before)
    assert not any(value is session or value is coordinator for value in vars(hook).values())


def bad_calls():
    fifo = tf.FIFOQueue(5, [tf.int64], [[]], name="numbers")
    loose = tf.FIFOQueue(5, [tf.int64], name="loose")
    priority = tf.PriorityQueue(5, [tf.int64], [[]], name="urgent")
    uneven = tf.FIFOQueue(5, [tf.int64, tf.int64], [[3], [4]], name="uneven")
    mixed = tf.RandomShuffleQueue(5, 2, [tf.int64], [[]], name="mixed")
    run = tf.FIFOQueue(5, [tf.int64], [[]], name="run")
    tf.train.add_queue_runner(tf.train.QueueRunner(run, [run.enqueue(tf.constant(1, tf.int64))]))

    def numbers():
        return iter(range(3))

    def built(queue, **options):
        return lambda: lt.inputs.from_queue(queue, **options).build(["/cpu:0"] * 2)

    return {
        "tensor": (built(tf.constant(1)), "queue must be a tf.QueueBase such as tf.FIFOQueue, got "),
        "both": (built(fifo, per_tower_batch_size=1, global_batch_size=2), "(both given)"),
        "order": (built(fifo, order="first"), 'order must be "any" or "fixed"'),
        "remainder": (built(fifo, remainder="keep"), "remainder must be"),
        "prefetch": (built(fifo, prefetch=0), "prefetch must be a whole number of at least 1"),
        "iterator": (built(fifo, feed_with=numbers()), "feed_with must be a function that returns an iterator"),
        "nothing": (built(fifo, feed_with=[]), "feed_with must be a function"),
        "threads": (built(fifo, order="fixed", feed_with=[numbers] * 2),
            'feed_with has 2 functions, which contradicts order="fixed"'),
        "shuffling": (built(mixed, order="fixed"), "the queue 'mixed', which is a RandomShuffleQueue"),
        "shapes": (built(loose, per_tower_batch_size=2), "component 0 of the queue 'loose' has the shape "),
        "priority": (built(priority, per_tower_batch_size=2, remainder="short"), "'urgent' is a PriorityQueue"),
        "uneven": (built(uneven, remainder="short"), "components of shapes (3,), (4,)"),
        "examples": (built(fifo, remainder="pad"), "give per_tower_batch_size if the queue holds single examples"),
        "runner": (built(run, per_tower_batch_size=1, feed_with=numbers),
            "'run' is filled by a queue runner, which would fail"),
        "global": (built(fifo, global_batch_size=5), "global_batch_size=5 is not divisible by 2 towers"),
    }


@pytest.mark.parametrize("case", [
    "tensor", "both", "order", "remainder", "prefetch", "iterator", "nothing", "threads", "shuffling", "shapes",
    "priority", "uneven", "examples", "runner", "global",
])
def test_errors_of_from_queue(case):
    call, message = bad_calls()[case]
    with pytest.raises((ArgumentError, InputError)) as raised:
        call()
    assert message in str(raised.value)
