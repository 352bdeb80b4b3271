"""Input pipelines of asynchronous towers, which take their batches in their own runs, and the unsupported ones."""
import threading

import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import InputError
from legacy_towers.specs.pipelines import PIPELINES
from legacy_towers.step.asynchronous import check_asynchronous_batches, check_asynchronous_fetches

COUNT = 64
CPUS = ["/cpu:0", "/cpu:1", "/cpu:2"]

ENDING = ["queue", "dataset", "dataset:next_per_tower", "dataset:sharded"]
REFUSED = {
    "feed": "feeds the batches of all towers in each run",
    "feed:background": "feeds the batches of all towers in each run",
    "dataset:split": "'inputs/IteratorGetNext' .IteratorGetNext. takes data for tower 0 and for tower 1",
    "dataset:per_device": "takes data for tower 0 and for tower 1",
}
REFUSED.update(
    ("staged+" + pipeline, "feeds the slot of the staged batches for all towers in each run") for pipeline in PIPELINES
)


def race(batches, towers=3):
    """Runs each tower in a thread of its own to the end of its data; returns what each got."""
    fetches = [
        tf.nest.map_structure(tf.identity, batch if batches.counts is None else (batch, batches.counts[tower]))
        for tower, batch in enumerate(batches.per_tower)
    ]
    got = [[] for _ in range(towers)]
    failed = []

    def take(tower, session):
        try:
            while True:
                got[tower].append(session.run(fetches[tower]))
        except tf.errors.OutOfRangeError:
            pass
        except Exception as error:
            failed.append(error)

    config = tf.ConfigProto(device_count={"CPU": towers})
    with tf.train.MonitoredTrainingSession(hooks=batches.hooks, config=config) as session:
        raw = session._tf_sess()
        threads = [threading.Thread(target=take, args=(tower, raw)) for tower in range(towers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not any(thread.is_alive() for thread in threads)
    assert failed == []
    return got


def made(pipeline, make_input, examples, **options):
    batches = make_input(pipeline, examples, per_tower_batch_size=4, **options).build_asynchronous(CPUS)
    check_asynchronous_batches(batches)
    return batches


@pytest.mark.parametrize("kind", ["arrays", "tfrecords"])
@pytest.mark.parametrize("pipeline", ENDING)
def test_each_example_comes_once_in_an_epoch(pipeline, kind, make_input, sources):
    batches = made(pipeline, make_input, sources(kind), epochs=2, remainder="short")
    ids = [number for tower in race(batches) for batch, count in tower for number in batch["id"][:count]]
    assert sorted(ids) == sorted(list(range(COUNT)) * 2)
    assert batches.plan.details["end"] == "the last batch is short"


@pytest.mark.parametrize("remainder", ["drop", "pad", "short"])
@pytest.mark.parametrize("pipeline", ENDING)
def test_remainder_of_asynchronous_towers(pipeline, remainder, make_input, sources):
    """Of 64 examples in batches of 4 all are full, but shards of 3 towers hold 22, 21 and 21 examples."""
    got = race(made(pipeline, make_input, sources("arrays"), epochs=1, remainder=remainder))
    if pipeline != "dataset:sharded":
        assert sum(len(tower) for tower in got) == 16
        return
    full = [4, 4, 4, 4, 4]
    if remainder == "drop":
        assert [[len(batch["id"]) for batch in tower] for tower in got] == [full] * 3
        return
    assert [[int(count) for _, count in tower] for tower in got] == [full + [2], full + [1], full + [1]]
    rows = [[len(batch["id"]) for batch, _ in tower] for tower in got]
    assert rows == ([full + [4]] * 3 if remainder == "pad" else [full + [2], full + [1], full + [1]])


def test_synthetic_input_of_asynchronous_towers(make_input, sources):
    batches = made("synthetic", make_input, sources("arrays"))
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 3})) as session:
        session.run(tf.local_variables_initializer())
        for tower in (2, 0, 0, 1):
            ids = session.run(batches.per_tower[tower])["id"]
            assert ids.tolist() == list(range(4 * tower, 4 * tower + 4))


@pytest.mark.parametrize("pipeline", sorted(set(PIPELINES) - set(ENDING) - {"synthetic"}))
def test_unsupported_pipelines_of_asynchronous_towers(pipeline, make_input, sources):
    with pytest.raises(InputError, match=REFUSED[pipeline]) as error:
        made(pipeline, make_input, sources("arrays"), epochs=1)
    assert 'lt.inputs.dataset with the route "next_per_tower" or "sharded"' in str(error.value)
    # A single tower is always supported.
    one_tower = make_input(pipeline, sources("arrays"), per_tower_batch_size=4).build_asynchronous(["/cpu:0"])
    check_asynchronous_batches(one_tower)


@pytest.mark.parametrize("pipeline", ENDING + ["synthetic"])
def test_fixed_order_of_asynchronous_towers_is_an_error(pipeline, make_input, sources):
    with pytest.raises(InputError, match='order="fixed" assigns examples to steps of all towers: leave'):
        made(pipeline, make_input, sources("arrays"), order="fixed")


def test_shared_input_ops_of_asynchronous_towers_are_an_error(sources):
    queue = tf.FIFOQueue(10, [tf.int64], [[]])
    pipeline = lt.inputs.dataset(sources("arrays"), per_tower_batch_size=4)
    for inputs, why in [
        (lt.inputs.from_tensors(global_batch=queue.dequeue_many(6)), "QueueDequeueMany"),
        (lt.inputs.from_queue(queue, per_tower_batch_size=2, prefetch=2), "QueueDequeue"),
        (lt.inputs.from_queue(queue, per_tower_batch_size=2, remainder="short"), "QueueDequeueUpTo"),
        (lt.inputs.from_dataset(tf.data.Dataset.range(9).batch(3)), "IteratorGetNext"),
        (lt.inputs.switch(pipeline, pipeline), "selects the training or the validation batches"),
        (lt.inputs.with_validation_tower(pipeline, pipeline), "tower 2 validates .* evaluate between two runs"),
        (lt.inputs.from_tensors(global_batch=tf.py_func(lambda: np.zeros(6), [], tf.float64)), "PyFunc"),
    ]:
        with pytest.raises(InputError, match=why):
            batches = inputs.build_asynchronous(CPUS)
            if inputs.__class__.__name__ == "FromTensors" and why == "PyFunc":
                batches.per_tower[0].set_shape([2])
            check_asynchronous_batches(batches)


def test_hooks_of_asynchronous_towers():
    class Counts(tf.train.SessionRunHook):
        def before_run(self, run_context):
            pass

    class Starts(tf.train.SessionRunHook):
        def after_create_session(self, session, coord):
            pass

    tensors = [tf.constant([tower]) for tower in range(3)]
    batches = lt.inputs.from_tensors(per_tower=tensors).build_asynchronous(CPUS)
    check_asynchronous_batches(batches._replace(hooks=[Starts()]))
    with pytest.raises(InputError, match=r"has a hook that acts in each run \(Counts\)"):
        check_asynchronous_batches(batches._replace(hooks=[Starts(), Counts()]))


@pytest.mark.parametrize(
    "route, remainder", [("next_per_tower", "drop"), ("next_per_tower", "short"), ("sharded", "drop")]
)
def test_from_dataset_of_asynchronous_towers(route, remainder):
    dataset = tf.data.Dataset.range(50)
    given = dataset.batch(4)
    if route == "sharded":
        def given(towers, tower):
            return dataset.shard(towers, tower).batch(4)
    batches = lt.inputs.from_dataset(given, route, remainder=remainder).build_asynchronous(CPUS)
    check_asynchronous_batches(batches)
    got = race(batches)
    if remainder == "drop":
        ids = [number for tower in got for batch in tower for number in batch]
    else:
        ids = [number for tower in got for batch, count in tower for number in batch[:count]]
    assert sorted(ids) == list(range(50))


def test_from_queue_and_from_tensors_of_asynchronous_towers():
    queue = tf.FIFOQueue(10, [tf.int64], [[]])
    enqueue = queue.enqueue(tf.train.limit_epochs(tf.constant(7, tf.int64), 30))
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
    batches = lt.inputs.from_queue(queue, per_tower_batch_size=2).build_asynchronous(CPUS)
    check_asynchronous_batches(batches)
    assert sum(len(tower) for tower in race(batches)) == 15


def test_check_asynchronous_fetches():
    rate = tf.placeholder(tf.float32, [], name="rate")
    default = tf.placeholder_with_default(tf.constant(1.0), [])
    iterator = tf.data.make_one_shot_iterator(tf.data.Dataset.range(9))
    check_asynchronous_fetches([rate + default, default, tf.cast(iterator.get_next(), tf.float32)])
    with pytest.raises(InputError, match="tower 4 needs the placeholder 'rate', which is not fed in its runs"):
        check_asynchronous_fetches([tf.constant(1.0), rate * 2], [1, 4])
    shared = iterator.get_next()
    with pytest.raises(InputError, match="IteratorGetNext_1.* takes data for tower 0 and for tower 2"):
        check_asynchronous_fetches([shared + 1, default, shared + 2])
