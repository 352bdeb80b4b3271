"""Queues start and stop cleanly, and what goes wrong in a runner reaches the caller as it is."""
import threading

import numpy as np
import pytest


@pytest.fixture
def poisoned():
    """Examples of which number 37 can't be decoded."""
    from legacy_towers.compat import tf
    from legacy_towers.examples import Examples

    def decode(example):
        fits = tf.Assert(tf.not_equal(example["id"], 37), ["example 37 is damaged"])
        with tf.control_dependencies([fits]):
            return {"id": tf.identity(example["id"])}

    return Examples.from_arrays({"id": np.arange(64)}).map(decode)


def config():
    from legacy_towers.compat import tf

    return tf.ConfigProto(device_count={"CPU": 4})


@pytest.mark.parametrize("stop", ["at the end", "early"])
def test_no_thread_is_left_behind(stop, sources, cpus):
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
    assert set(threading.enumerate()) == before


def test_no_thread_is_left_by_a_plain_coordinator(sources, cpus):
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
    assert set(threading.enumerate()) == before


@pytest.mark.parametrize("order", ["any", "fixed"])
@pytest.mark.parametrize("again", range(5))
def test_a_monitored_session_raises_the_real_error(again, order, poisoned, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    batches = inputs.queue(poisoned, per_tower_batch_size=4, order=order).build(cpus)
    before = set(threading.enumerate())
    with pytest.raises(tf.errors.InvalidArgumentError, match="example 37 is damaged"):
        with tf.train.MonitoredTrainingSession(hooks=batches.hooks, config=config()) as session:
            while not session.should_stop():
                session.run(batches.per_tower)
    assert set(threading.enumerate()) == before


def test_a_loop_that_takes_the_end_for_granted_still_sees_the_error(poisoned, cpus):
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


def test_a_plain_coordinator_raises_the_real_error(poisoned, cpus):
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


def test_a_damaged_file_is_named(tmp_path, cpus):
    from legacy_towers import inputs
    from legacy_towers.compat import tf
    from legacy_towers.examples import Examples

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


def test_queues_stand_on_the_host_whatever_device_is_around(sources):
    from legacy_towers import inputs
    from legacy_towers.compat import tf

    with tf.device("/gpu:0"):
        inputs.queue(sources("tfrecords"), per_tower_batch_size=4).build(["/job:worker/task:1/gpu:0"])
    for operation in tf.get_default_graph().get_operations():
        if operation.name.startswith("inputs/"):
            assert tf.DeviceSpec.from_string(operation.device).device_type == "CPU", operation.name
    kinds = {operation.type for operation in tf.get_default_graph().get_operations()}
    assert {"TFRecordReaderV2", "RandomShuffleQueueV2", "FIFOQueueV2", "QueueDequeueV2"} <= kinds
