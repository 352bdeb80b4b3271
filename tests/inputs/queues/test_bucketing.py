"""Bucketing by length: a step has examples of one bucket, with the least padding, and none is lost."""
import threading

import numpy as np
import pytest
import waiting

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError

COUNT = 70
BOUNDARIES = [5, 9]
# Lengths 1 to 13: of 70 examples, 24 are shorter than 5, 22 from 5 to 8, 24 from 9 on.
LENGTHS = np.arange(COUNT) % 13 + 1
BUCKETS = np.digitize(LENGTHS, BOUNDARIES)


@pytest.fixture(autouse=True)
def no_thread_is_left():
    before = set(threading.enumerate())
    yield
    left = waiting.threads_since(before)
    assert not left, left


def sentences(**options):
    """An example is {"id", "words": id repeated 1 to 13 times, "text": as many strings}."""
    def with_words(example):
        length = tf.cast(example["id"] % 13 + 1, tf.int32)
        return {
            "id": example["id"],
            "words": tf.fill([length], example["id"] + 1),
            "text": tf.fill([length], tf.strings.as_string(example["id"])),
        }

    return lt.Examples.from_arrays({"id": np.arange(COUNT)}, **options).map(with_words)


def length_of(example):
    return tf.size(example["words"])


def run_epoch(batches):
    wanted, seen = [batches.per_tower, batches.counts or []], []
    with tf.train.MonitoredTrainingSession(hooks=batches.hooks, config=lt.session_config(logical_cpus=4)) as session:
        while not session.should_stop():
            towers, counts = session.run(wanted)
            seen.append((towers, counts or [4] * 4))
    return seen


def check_padding(tower):
    for number, words, text in zip(tower["id"], tower["words"], tower["text"]):
        length = LENGTHS[number]
        assert words.tolist() == [number + 1] * length + [0] * (len(words) - length)
        assert text.tolist() == [str(number).encode()] * length + [b""] * (len(words) - length)


@pytest.mark.parametrize("shuffle", [False, True], ids=["in order", "shuffled"])
@pytest.mark.parametrize("join", [None, 3], ids=["one reader", "three readers"])
@pytest.mark.parametrize("remainder", ["drop", "short", "pad"])
def test_each_step_holds_examples_of_one_bucket(remainder, join, shuffle):
    batches = lt.inputs.queue(
        sentences(shuffle=shuffle, seed=3), per_tower_batch_size=4, epochs=1, remainder=remainder, join=join,
        bucket_by=length_of, bucket_boundaries=BOUNDARIES,
    ).build(lt.devices.cpus(4))
    assert batches.per_tower[0]["words"].shape.as_list() == [None if remainder == "short" else 4, None]
    ids, buckets = [], []
    for towers, counts in run_epoch(batches):
        step = np.concatenate([tower["id"] for tower in towers])
        assert len(set(BUCKETS[step])) == 1
        buckets.append(BUCKETS[step[0]])
        for tower, count in zip(towers, counts):
            check_padding(tower)
            ids.extend(tower["id"][:count])
        widths = [tower["words"].shape[1] for tower in towers]
        if remainder == "drop":
            assert widths == [LENGTHS[tower["id"]].max() for tower in towers]
        else:
            assert widths == [LENGTHS[step].max()] * 4
    assert len(set(ids)) == len(ids)
    # 24, 22 and 24 examples by steps of 16: one full step of each bucket, and 8, 6 and 8 left.
    assert sorted(buckets) == ([0, 1, 2] if remainder == "drop" else [0, 0, 1, 1, 2, 2])
    assert len(ids) == (48 if remainder == "drop" else COUNT)


def test_the_plan_describes_the_buckets_and_the_remainder():
    def plan(remainder):
        return str(lt.inputs.queue(
            sentences(), per_tower_batch_size=4, epochs=1, remainder=remainder, bucket_by=length_of,
            bucket_boundaries=[5, 9.5],
        ).build(lt.devices.cpus(4)).plan)

    assert "buckets: lengths below 5, 5 to below 9.5 and from 9.5" in plan("drop")
    end = "the last incomplete global batch of each of the 3 buckets is dropped: at most 15 examples each"
    assert end in plan("drop")
    assert "the last global batch of each of the 3 buckets is short" in plan("short")
    assert "the last global batch of each of the 3 buckets is padded with copies" in plan("pad")


def test_fractional_boundaries_and_empty_buckets():
    batches = lt.inputs.queue(
        sentences(shuffle=False), per_tower_batch_size=4, epochs=1, remainder="short", threads=1,
        bucket_by=lambda example: tf.cast(length_of(example), tf.float32), bucket_boundaries=[0.5, 6.5, 100],
    ).build(lt.devices.cpus(4))
    seen = [np.concatenate([tower["id"][:count] for tower, count in zip(*step)]) for step in run_epoch(batches)]
    assert sorted(np.concatenate(seen)) == list(range(COUNT))
    for step in seen:
        assert len(set(LENGTHS[step] > 6.5)) == 1


def test_towers_on_several_hosts_take_the_same_steps():
    cluster = ["/job:worker/task:{}/device:CPU:0".format(task) for task in (0, 1, 1)]
    batches = lt.inputs.queue(
        sentences(), per_tower_batch_size=4, bucket_by=length_of, bucket_boundaries=BOUNDARIES
    ).build(cluster)
    assert [each.device for each in batches.input_ops] == cluster[:2]
    runners = [runner for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS) if "prefetch" in runner.name]
    # Three threads, one for each bucket, take the steps; one thread distributes them.
    assert sorted(len(runner.enqueue_ops) for runner in runners) == [1, 3]


def test_an_error_of_bucket_by_is_raised():
    def damaged(example):
        fits = tf.Assert(tf.not_equal(example["id"], 37), ["example 37 is damaged"])
        with tf.control_dependencies([fits]):
            return length_of(example)

    batches = lt.inputs.queue(
        sentences(), per_tower_batch_size=4, bucket_by=damaged, bucket_boundaries=BOUNDARIES
    ).build(lt.devices.cpus(4))
    with pytest.raises(tf.errors.InvalidArgumentError, match="example 37 is damaged"):
        run_epoch(batches)


BAD = [
    ({"bucket_by": length_of}, "bucket_by and bucket_boundaries must be given together"),
    ({"bucket_boundaries": [3]}, "bucket_by and bucket_boundaries must be given together"),
    ({"bucket_by": "words", "bucket_boundaries": [3]}, "bucket_by must be a function"),
    ({"bucket_by": length_of, "bucket_boundaries": []}, "one or more increasing numbers"),
    ({"bucket_by": length_of, "bucket_boundaries": [3, 3]}, "one or more increasing numbers"),
    ({"bucket_by": length_of, "bucket_boundaries": 3}, "one or more increasing numbers"),
    ({"bucket_by": length_of, "bucket_boundaries": [3], "order": "fixed"}, 'bucket_by contradicts order="fixed"'),
    ({"join": 0}, "join must be a whole number of at least 1"),
    ({"join": 2, "threads": 2}, "join=2 has one thread per reader"),
    ({"join": 2, "order": "fixed"}, 'join=2 contradicts order="fixed"'),
]


@pytest.mark.parametrize("options, message", BAD, ids=[message[:30] for _, message in BAD])
def test_errors_of_bucketing_options(options, message):
    with pytest.raises(ArgumentError) as raised:
        lt.inputs.queue(sentences(), per_tower_batch_size=4, **options)
    assert message in str(raised.value)


def test_bucket_by_must_return_a_scalar():
    pipeline = lt.inputs.queue(
        sentences(), per_tower_batch_size=4, bucket_by=lambda example: example["words"], bucket_boundaries=[3]
    )
    with pytest.raises(InputError, match=r"bucket_by must return a number, a scalar tensor, got shape"):
        pipeline.build(lt.devices.cpus(2))
