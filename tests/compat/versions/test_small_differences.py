"""Functions for sessions, datasets, devices and config fields that give the same result on all versions."""
import collections

import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.versions import config_fields, data, devices, session

CONFIG = dict(device_count={"CPU": 2})
Pair = collections.namedtuple("Pair", "a b")


def _monitored():
    creator = tf.train.ChiefSessionCreator(config=tf.ConfigProto(**CONFIG))
    return tf.train.MonitoredSession(session_creator=creator)


@pytest.mark.parametrize(
    "make", [lambda: tf.Session(config=tf.ConfigProto(**CONFIG)), _monitored], ids=["Session", "MonitoredSession"]
)
def test_config_of_a_session_is_a_copy(make):
    with make() as opened:
        assert isinstance(session.raw_session(opened), tf.Session)
        session.config_of(opened).device_count["CPU"] = 5
        assert session.config_of(opened).device_count["CPU"] == 2


def test_config_of_an_interactive_session():
    opened = tf.InteractiveSession(config=tf.ConfigProto(**CONFIG))
    try:
        assert session.config_of(opened).device_count["CPU"] == 2
    finally:
        opened.close()


def test_config_of_a_session_made_without_one_is_tensorflows_default():
    with tf.Session() as opened:
        assert session.config_of(opened).device_count["CPU"] == 1
    assert session.config_of(None) is None


@pytest.mark.parametrize("deterministic", [True, False])
def test_set_deterministic_and_set_private_threads(deterministic):
    options = tf.data.Options()
    data.set_deterministic(options, deterministic)
    data.set_private_threads(options, 3)
    dataset = tf.data.Dataset.range(20).with_options(options)
    dataset = dataset.map(lambda x: x * 2, num_parallel_calls=4)
    following = tf.data.make_one_shot_iterator(dataset).get_next()
    with tf.Session() as opened:
        values = [opened.run(following) for _ in range(20)]
    assert sorted(values) == list(range(0, 40, 2))
    on_tf1 = not hasattr(options, "deterministic")
    kept = options.experimental_deterministic if on_tf1 else options.deterministic
    threading = options.experimental_threading if on_tf1 else options.threading
    assert (kept, threading.private_threadpool_size) == (deterministic, 3)


def test_iterators_on_devices():
    dataset = tf.data.Dataset.range(7)
    iterators = data.iterators_on_devices(dataset, ["/cpu:0", "/cpu:1", "/cpu:0"], "/device:CPU:0", prefetch=2)
    following = []
    for iterator, device in zip(iterators, ["/cpu:0", "/cpu:1", "/cpu:0"]):
        with tf.device(device), tf.control_dependencies([each.op for each in following[-1:]]):
            following.append(iterator.get_next())
    assert [each.op.device[-5:] for each in following] == ["CPU:0", "CPU:1", "CPU:0"]
    with tf.Session(config=tf.ConfigProto(**CONFIG)) as opened:
        for _ in range(2):  # an iterator that is initialized again starts again
            opened.run([iterator.initializer for iterator in iterators])
            assert [opened.run(following) for _ in range(2)] == [[0, 1, 2], [3, 4, 5]]
            with pytest.raises(tf.errors.OutOfRangeError):
                opened.run(following)


def test_local_devices():
    listed = devices.list_local_devices(tf.ConfigProto(device_count={"CPU": 3, "GPU": 0}))
    cpus = [each for each in listed if each.type == "CPU"]
    assert [each.name for each in cpus] == ["/device:CPU:0", "/device:CPU:1", "/device:CPU:2"]
    assert all(each.memory_limit > 0 for each in cpus)


MESSAGES = {
    "ConfigProto": tf.ConfigProto,
    "ConfigProto.Experimental": tf.ConfigProto.Experimental,
    "GPUOptions.Experimental": tf.GPUOptions.Experimental,
    "GPUOptions.Experimental.VirtualDevices": tf.GPUOptions.Experimental.VirtualDevices,
    "OptimizerOptions": tf.OptimizerOptions,
    "RewriterConfig": type(tf.GraphOptions().rewrite_options),
}


@pytest.mark.parametrize("message", sorted(config_fields._SINCE))
def test_first_version_agrees_with_the_fields_of_this_tensorflow(message):
    running = tuple(int(part) for part in tf.__version__.split(".")[:2])
    present = {field.name for field in MESSAGES[message].DESCRIPTOR.fields}
    for version, names in config_fields._SINCE[message].items():
        for name in names.split():
            expected = running >= tuple(int(part) for part in version.split("."))
            assert (name in present) == expected, (name, version)
            assert config_fields.first_version(message, name) == version
    assert config_fields.first_version(message, "no_such_field") is None


def test_is_repeated():
    fields = tf.ConfigProto.DESCRIPTOR.fields_by_name
    assert config_fields.is_repeated(fields["device_filters"])
    assert not config_fields.is_repeated(fields["allow_soft_placement"])
    assert np.ndim(tf.ConfigProto().device_filters) == 1


@pytest.mark.skipif(not hasattr(tf.data.Options(), "threading"), reason="TF 1.15 gives operations all threads")
def test_with_parallel_operations_gives_operations_all_threads():
    dataset = data.with_parallel_operations(tf.data.Dataset.range(3))
    assert dataset.options().threading.max_intra_op_parallelism == 0


def test_get_next_sync_reads_in_the_thread_of_the_session():
    dataset = tf.data.Dataset.range(4).map(lambda x: (x, x * 2), num_parallel_calls=2).batch(2)
    elements = data.get_next_sync(tf.data.make_one_shot_iterator(data.with_own_threads(dataset)))
    assert elements[0].op.type == "IteratorGetNextSync"
    # The only thread of the session waits for the functions.
    with tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=1, use_per_session_threads=True)) as opened:
        assert [[each.tolist() for each in opened.run(elements)] for _ in range(2)] == [
            [[0, 1], [0, 2]], [[2, 3], [4, 6]],
        ]
        with pytest.raises(tf.errors.OutOfRangeError):
            opened.run(elements)


@pytest.mark.parametrize(
    "structure",
    [
        lambda x: x,
        lambda x: (x, x + 1),
        lambda x: (x,),
        lambda x: {"a": x, "b": (x, x + 1)},
        lambda x: Pair(x, x + 1),
        lambda x: tf.SparseTensor([[0]], [x], [2]),
    ],
    ids=["tensor", "tuple", "tuple of one", "dict", "named tuple", "sparse tensor"],
)
def test_prefetched_keeps_structure_and_order(structure):
    dataset = tf.data.Dataset.range(6).map(structure)
    ahead = data.prefetched(dataset, 2)
    for of in (tf.data.get_output_types, tf.data.get_output_shapes, tf.data.get_output_classes):
        assert of(ahead) == of(dataset)
    element = tf.data.make_one_shot_iterator(ahead).get_next()
    first = element if isinstance(element, tf.SparseTensor) else tf.nest.flatten(element)[0]
    with tf.Session() as opened:
        values = [opened.run(first) for _ in range(6)]
    assert [int(getattr(each, "values", [each])[0]) for each in values] == list(range(6))


def test_prefetched_datasets_that_end_in_one_run():
    batches = tf.data.Dataset.range(40).map(lambda x: 2 * x).batch(4)
    # With the prefetch of 1.15, eight of them hang in about 30 such runs.
    iterators = [tf.data.make_initializable_iterator(data.prefetched(batches, 4)) for _ in range(8)]
    elements = [each.get_next() for each in iterators]
    with tf.Session() as opened:
        for _ in range(100):
            opened.run([each.initializer for each in iterators])
            seen = 0
            with pytest.raises(tf.errors.OutOfRangeError):
                while True:
                    seen += len(opened.run(elements)[0])
            assert seen == 40
