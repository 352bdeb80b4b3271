"""Ways in whose towers take their batches each in runs of its own, and those that can't."""
import threading

import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import InputError
from legacy_towers.inputs.apart import check_batches_apart, check_fetches_apart
from legacy_towers.inputs.ways import WAYS

COUNT = 64
CPUS = ["/cpu:0", "/cpu:1", "/cpu:2"]

ENDING = ["queue", "dataset", "dataset:next_per_tower", "dataset:sharded"]
REFUSED = {
    "feed": "feeds the batches of all towers in each run",
    "feed:background": "feeds the batches of all towers in each run",
    "dataset:split": "'inputs/IteratorGetNext' .IteratorGetNext. takes data for tower 0 and for tower 1",
    "dataset:per_device": "takes data for tower 0 and for tower 1",
}
REFUSED.update((way + "+staged", "tells all towers which of the staged batches to read in each run") for way in WAYS)


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


def made(way, make_input, examples, **options):
    batches = make_input(way, examples, per_tower_batch_size=4, **options).build_apart(CPUS)
    check_batches_apart(batches)
    return batches


@pytest.mark.parametrize("kind", ["arrays", "tfrecords"])
@pytest.mark.parametrize("way", ENDING)
def test_each_example_comes_once_in_an_epoch(way, kind, make_input, sources):
    batches = made(way, make_input, sources(kind), epochs=2, remainder="short")
    ids = [number for tower in race(batches) for batch, count in tower for number in batch["id"][:count]]
    assert sorted(ids) == sorted(list(range(COUNT)) * 2)
    assert batches.plan.details["end"] == "the last batch is short"


@pytest.mark.parametrize("remainder", ["drop", "pad", "short"])
@pytest.mark.parametrize("way", ENDING)
def test_a_last_batch_that_does_not_fill(way, remainder, make_input, sources):
    """Of 64 examples in batches of 4 all are full, but shards of 3 towers hold 22, 21 and 21 examples."""
    got = race(made(way, make_input, sources("arrays"), epochs=1, remainder=remainder))
    if way != "dataset:sharded":
        assert sum(len(tower) for tower in got) == 16
        return
    full = [4, 4, 4, 4, 4]
    if remainder == "drop":
        assert [[len(batch["id"]) for batch in tower] for tower in got] == [full] * 3
        return
    assert [[int(count) for _, count in tower] for tower in got] == [full + [2], full + [1], full + [1]]
    rows = [[len(batch["id"]) for batch, _ in tower] for tower in got]
    assert rows == ([full + [4]] * 3 if remainder == "pad" else [full + [2], full + [1], full + [1]])


def test_synthetic_batches_never_end(make_input, sources):
    batches = made("synthetic", make_input, sources("arrays"))
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 3})) as session:
        session.run(tf.local_variables_initializer())
        for tower in (2, 0, 0, 1):
            ids = session.run(batches.per_tower[tower])["id"]
            assert ids.tolist() == list(range(4 * tower, 4 * tower + 4))


@pytest.mark.parametrize("way", sorted(set(WAYS) - set(ENDING) - {"synthetic"}))
def test_the_other_ways_are_refused_with_the_reason(way, make_input, sources):
    with pytest.raises(InputError, match=REFUSED[way]) as error:
        made(way, make_input, sources("arrays"), epochs=1)
    assert 'lt.inputs.dataset by the route "next_per_tower" or "sharded"' in str(error.value)
    # One tower has nobody to share with.
    check_batches_apart(make_input(way, sources("arrays"), per_tower_batch_size=4).build_apart(["/cpu:0"]))


@pytest.mark.parametrize("way", ENDING + ["synthetic"])
def test_a_fixed_order_is_refused(way, make_input, sources):
    with pytest.raises(InputError, match='order="fixed" says which examples each step of all towers has: leave'):
        made(way, make_input, sources("arrays"), order="fixed")


def test_what_other_ways_in_share(sources):
    queue = tf.FIFOQueue(10, [tf.int64], [[]])
    way = lt.inputs.dataset(sources("arrays"), per_tower_batch_size=4)
    for inputs, why in [
        (lt.inputs.from_tensors(global_batch=queue.dequeue_many(6)), "QueueDequeueMany"),
        (lt.inputs.from_queue(queue, per_tower_batch_size=2, prefetch=2), "QueueDequeue"),
        (lt.inputs.from_queue(queue, per_tower_batch_size=2, remainder="short"), "QueueDequeueUpTo"),
        (lt.inputs.from_dataset(tf.data.Dataset.range(9).batch(3)), "IteratorGetNext"),
        (lt.inputs.switch(way, way), "chooses between the training and the validation batches"),
        (lt.inputs.with_validation_tower(way, way), "tower 2 validates .* evaluate between two runs"),
        (lt.inputs.from_tensors(global_batch=tf.py_func(lambda: np.zeros(6), [], tf.float64)), "PyFunc"),
    ]:
        with pytest.raises(InputError, match=why):
            batches = inputs.build_apart(CPUS)
            if inputs.__class__.__name__ == "FromTensors" and why == "PyFunc":
                batches.per_tower[0].set_shape([2])
            check_batches_apart(batches)


def test_a_hook_of_ones_own_that_acts_in_each_run():
    class Counts(tf.train.SessionRunHook):
        def before_run(self, run_context):
            pass

    class Starts(tf.train.SessionRunHook):
        def after_create_session(self, session, coord):
            pass

    tensors = [tf.constant([tower]) for tower in range(3)]
    batches = lt.inputs.from_tensors(per_tower=tensors).build_apart(CPUS)
    check_batches_apart(batches._replace(hooks=[Starts()]))
    with pytest.raises(InputError, match=r"has a hook that acts in each run \(Counts\)"):
        check_batches_apart(batches._replace(hooks=[Starts(), Counts()]))


@pytest.mark.parametrize(
    "route, remainder", [("next_per_tower", "drop"), ("next_per_tower", "short"), ("sharded", "drop")]
)
def test_ready_datasets(route, remainder):
    dataset = tf.data.Dataset.range(50)
    given = dataset.batch(4)
    if route == "sharded":
        def given(towers, tower):
            return dataset.shard(towers, tower).batch(4)
    batches = lt.inputs.from_dataset(given, route, remainder=remainder).build_apart(CPUS)
    check_batches_apart(batches)
    got = race(batches)
    if remainder == "drop":
        ids = [number for tower in got for batch in tower for number in batch]
    else:
        ids = [number for tower in got for batch, count in tower for number in batch[:count]]
    assert sorted(ids) == list(range(50))


def test_queues_and_tensors_of_ones_own():
    queue = tf.FIFOQueue(10, [tf.int64], [[]])
    enqueue = queue.enqueue(tf.train.limit_epochs(tf.constant(7, tf.int64), 30))
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
    batches = lt.inputs.from_queue(queue, per_tower_batch_size=2).build_apart(CPUS)
    check_batches_apart(batches)
    assert sum(len(tower) for tower in race(batches)) == 15


def test_fetches_that_need_each_other_or_a_feed():
    rate = tf.placeholder(tf.float32, [], name="rate")
    default = tf.placeholder_with_default(tf.constant(1.0), [])
    iterator = tf.data.make_one_shot_iterator(tf.data.Dataset.range(9))
    check_fetches_apart([rate + default, default, tf.cast(iterator.get_next(), tf.float32)])
    with pytest.raises(InputError, match="tower 4 needs the placeholder 'rate', which nobody feeds in its runs"):
        check_fetches_apart([tf.constant(1.0), rate * 2], [1, 4])
    shared = iterator.get_next()
    with pytest.raises(InputError, match="IteratorGetNext_1.* takes data for tower 0 and for tower 2"):
        check_fetches_apart([shared + 1, default, shared + 2])
