"""Queue runners start and stop without leaving threads, and their errors are raised unchanged."""
import threading

import numpy as np
import ports
import pytest
import waiting


@pytest.fixture
def poisoned():
    """Examples of which number 37 can't be decoded."""
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    def decode(example):
        fits = tf.Assert(tf.not_equal(example["id"], 37), ["example 37 is damaged"])
        with tf.control_dependencies([fits]):
            return {"id": tf.identity(example["id"])}

    return Examples.from_arrays({"id": np.arange(64)}).map(decode)


def config():
    from legacy_towers.compat import tf

    return tf.ConfigProto(device_count={"CPU": 4})


@pytest.mark.parametrize("stop", ["at the end", "early"])
def test_monitored_session_leaves_no_thread(stop, sources, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    epochs = 1 if stop == "at the end" else None
    batches = inputs.queue(sources("tfrecords"), per_tower_batch_size=4, epochs=epochs, threads=3).build(cpus)
    before = set(threading.enumerate())
    with tf.train.MonitoredTrainingSession(hooks=batches.hooks, config=config()) as session:
        assert len(set(threading.enumerate()) - before) > 3
        steps = 0
        while not session.should_stop() and (steps < 2 or epochs is not None):
            session.run(batches.per_tower)
            steps += 1
    assert waiting.threads_since(before) == []


def test_plain_coordinator_leaves_no_thread(sources, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    batches = inputs.queue(sources("tfrecords"), per_tower_batch_size=4, epochs=1).build(cpus)
    before = set(threading.enumerate())
    steps = 0
    with tf.Session(config=config()) as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            while not coordinator.should_stop():
                session.run(batches.per_tower)
                steps += 1
        except tf.errors.OutOfRangeError:
            coordinator.request_stop()
        coordinator.join(threads)
    assert steps == 4
    assert waiting.threads_since(before) == []


@pytest.mark.parametrize("order", ["any", "fixed"])
@pytest.mark.parametrize("again", range(5))
def test_monitored_session_raises_the_error_of_the_queue_runner(again, order, poisoned, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    batches = inputs.queue(poisoned, per_tower_batch_size=4, order=order).build(cpus)
    before = set(threading.enumerate())
    with pytest.raises(tf.errors.InvalidArgumentError, match="example 37 is damaged"):
        with tf.train.MonitoredTrainingSession(hooks=batches.hooks, config=config()) as session:
            while not session.should_stop():
                session.run(batches.per_tower)
    assert waiting.threads_since(before) == []


def test_a_loop_that_catches_out_of_range_still_sees_the_error(poisoned, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    batches = inputs.queue(poisoned, per_tower_batch_size=4).build(cpus)
    with pytest.raises(tf.errors.InvalidArgumentError, match="example 37 is damaged"):
        with tf.train.MonitoredTrainingSession(hooks=batches.hooks, config=config()) as session:
            while not session.should_stop():
                try:
                    session.run(batches.per_tower)
                except (tf.errors.OutOfRangeError, tf.errors.CancelledError):
                    break


def test_the_hook_raises_what_stopped_the_coordinator(sources, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    (hook,) = inputs.queue(sources("arrays"), per_tower_batch_size=4).build(cpus).hooks
    coordinator = tf.train.Coordinator()
    hook.after_create_session(None, coordinator)
    hook.before_run(None)
    with coordinator.stop_on_exception():
        raise IOError("the disk is gone")
    with pytest.raises(IOError, match="the disk is gone"):
        hook.before_run(None)


def test_plain_coordinator_raises_the_error_of_the_queue_runner(poisoned, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    batches = inputs.queue(poisoned, per_tower_batch_size=4).build(cpus)
    with tf.Session(config=config()) as session:
        session.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        with pytest.raises(tf.errors.InvalidArgumentError, match="example 37 is damaged"):
            try:
                while not coordinator.should_stop():
                    session.run(batches.per_tower)
            except (tf.errors.OutOfRangeError, tf.errors.CancelledError):
                coordinator.request_stop()
            coordinator.join(threads)


def test_errors_name_the_damaged_file(tmp_path, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    path = str(tmp_path / "damaged.tfrecord")
    with tf.io.TFRecordWriter(path) as writer:
        for number in range(32):
            writer.write(np.int64(number).tobytes())
    with open(path, "r+b") as damaged:
        damaged.seek(20 * 24 + 12)
        damaged.write(b"\xff\xff\xff")
    examples = Examples.from_tfrecords(path, lambda record: tf.reshape(tf.decode_raw(record, tf.int64), []))
    batches = inputs.queue(examples, per_tower_batch_size=4, order="fixed").build(cpus)
    with pytest.raises(tf.errors.DataLossError, match="corrupted record"):
        with tf.train.MonitoredTrainingSession(hooks=batches.hooks, config=config()) as session:
            while not session.should_stop():
                session.run(batches.per_tower)


def test_queues_are_on_the_host_in_any_device_scope(sources):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    with tf.device("/gpu:0"):
        inputs.queue(sources("tfrecords"), per_tower_batch_size=4).build(["/job:worker/task:1/gpu:0"])
    for operation in tf.get_default_graph().get_operations():
        if operation.name.startswith("inputs/"):
            assert tf.DeviceSpec.from_string(operation.device).device_type == "CPU", operation.name
    kinds = {operation.type for operation in tf.get_default_graph().get_operations()}
    assert {"TFRecordReaderV2", "RandomShuffleQueueV2", "FIFOQueueV2", "QueueDequeueV2"} <= kinds


def sequences(**options):
    """70 examples: {"id", "words": id repeated 1 to 7 times}."""
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    def with_words(example):
        return dict(example, words=tf.fill([tf.cast(example["id"] % 7 + 1, tf.int32)], example["id"] + 1))

    return Examples.from_arrays({"id": np.arange(70)}, **options).map(with_words)


@pytest.mark.parametrize("order", ["any", "fixed"])
@pytest.mark.parametrize("remainder", ["drop", "short", "pad"])
def test_dynamic_padding_and_the_last_examples(remainder, order, drive, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    batches = inputs.queue(
        sequences(seed=3), per_tower_batch_size=4, epochs=1, dynamic_pad=True, remainder=remainder, order=order
    ).build(cpus)
    counts = batches.counts or [tf.constant(4)] * 4
    steps = drive(batches._replace(per_tower=list(zip(batches.per_tower, counts))))
    ids = []
    for step in steps:
        widest = max(tower["id"].max() and (tower["id"] % 7 + 1).max() for tower, _ in step)
        for tower, count in step:
            ids.extend(tower["id"][:count].tolist())
            own = (tower["id"] % 7 + 1).max()
            assert tower["words"].shape == (len(tower["id"]), own if remainder == "drop" else widest)
            for number, words in zip(tower["id"], tower["words"]):
                assert words.tolist() == [number + 1] * (number % 7 + 1) + [0] * (len(words) - number % 7 - 1)
    expected = list(range(64 if remainder == "drop" else 70))
    assert ids == expected if order == "fixed" else len(set(ids)) == len(ids) == len(expected)
    if remainder != "drop":
        assert [int(count) for _, count in steps[-1]] == [4, 2, 0, 0]
        assert [len(tower["id"]) for tower, _ in steps[-1]] == ([4, 2, 1, 1] if remainder == "short" else [4] * 4)
    assert batches.padded == (remainder == "pad")


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("kind", ["tfrecords", "fixed_length", "arrays"])
def test_several_readers_share_the_files(kind, shuffle, sources, drive, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    examples = sources(kind, shuffle=shuffle)
    batches = inputs.queue(examples, per_tower_batch_size=4, epochs=2, join=3).build(cpus)
    ids = [number for step in drive(batches) for tower in step for number in tower["id"]]
    assert sorted(ids) == sorted(2 * list(range(64)))
    assert "threads: 3; readers: 3, which share the files" in str(batches.plan)
    readers = [each for each in tf.get_default_graph().get_operations() if each.type.endswith("ReaderV2")]
    assert len(readers) == (0 if kind == "arrays" else 3)


def test_several_readers_support_with_ids(sources, drive, cpus):
    from legacy_towers import inputs

    examples = sources("tfrecords").with_ids()
    batches = inputs.queue(examples, per_tower_batch_size=4, epochs=1, join=2).build(cpus)
    steps = drive(batches)
    assert len({number for step in steps for tower in step for number in tower["id"]}) == 64
    assert len({number for step in steps for tower in step for number in tower["example"]["id"]}) == 64


@pytest.mark.parametrize("capacity, prefetched", [(None, 8), (1, 4), (9, 12)])
def test_a_step_waits_for_one_dequeue_for_any_capacity(capacity, prefetched, sources, drive, cpus):
    from legacy_towers import inputs

    batches = inputs.queue(sources("arrays"), per_tower_batch_size=4, epochs=1, capacity=capacity).build(cpus)
    assert [each.type for each in batches.input_ops] == ["QueueDequeueV2"]
    assert "prefetch: {} per-tower batches".format(prefetched) in str(batches.plan)
    assert len(drive(batches)) == 4


def test_each_host_has_its_own_prefetch_queue(sources):
    from legacy_towers import inputs

    hosts = ["/job:worker/task:0", "/job:worker/task:1", "/job:worker/task:0"]
    batches = inputs.queue(sources("arrays"), per_tower_batch_size=4).build([host + "/gpu:0" for host in hosts])
    assert [each.device for each in batches.input_ops] == [host + "/device:CPU:0" for host in hosts[:2]]
    assert [tower["id"].op.inputs[0].op.device[:18] for tower in batches.per_tower] == hosts


@pytest.mark.slow
def test_two_hosts_take_the_same_steps(sources):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    with ports.held(2) as addresses:  # until they listen
        servers = [tf.train.Server({"worker": addresses}, "worker", task) for task in range(2)]
    devices = ["/job:worker/task:{}/cpu:0".format(task) for task in (0, 1, 0, 1)]
    batches = inputs.queue(
        sequences(seed=3), per_tower_batch_size=4, epochs=1, remainder="short",
        bucket_by=lambda example: tf.size(example["words"]), bucket_boundaries=[4],
    ).build(devices)
    ids = []
    with tf.Session(servers[0].target) as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                towers, counts = session.run([batches.per_tower, batches.counts])
                lengths = np.concatenate([tower["id"] for tower in towers]) % 7 + 1
                assert len(set(lengths >= 4)) == 1
                ids.extend(number for tower, count in zip(towers, counts) for number in tower["id"][:count])
        coordinator.request_stop()
        coordinator.join(threads)
    assert sorted(ids) == list(range(70))
