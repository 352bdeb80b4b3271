"""All-reduces on logical CPUs in each dtype that `supports_sum` reports as supported, and the keys of collectives."""
import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.versions import collectives

CPUS = ["/cpu:0", "/cpu:1", "/cpu:2"]


def summed(values, instance=None, dtype=tf.float32):
    """Returns the placeholders of one member per value, and their results."""
    fed = []
    for device, value in zip(CPUS, values):
        with tf.device(device):
            fed.append(tf.identity(tf.cast(tf.constant(value), dtype)))
    group = collectives.group_key([each.device for each in fed])
    if instance is None:
        (instance,) = collectives.free_instance_keys(tf.get_default_graph(), 1)
    return collectives.all_reduce_sum(fed, group, instance)


def run(fetches, **keywords):
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 3}, **keywords)) as session:
        return session.run(fetches)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.int32, tf.int64, tf.float16, tf.bfloat16])
def test_all_reduce_sum_in_supported_dtypes(dtype):
    if not collectives.supports_sum(dtype):
        pytest.skip("{} is not supported on TensorFlow {}".format(dtype.name, tf.__version__))
    results = summed([[1, 2], [10, 20], [100, 200]], dtype=dtype)
    assert [each.device for each in results] == ["/device:CPU:{}".format(index) for index in range(3)]
    for result in run([tf.cast(each, tf.float64) for each in results]):
        assert result.tolist() == [111, 222]


def test_all_reduce_sum_of_float16_fails_where_it_is_not_supported():
    if collectives.supports_sum(tf.float16):
        pytest.skip("TensorFlow {} sums float16".format(tf.__version__))
    with pytest.raises(tf.errors.InternalError, match="does not support datatype 19"):
        run(summed([[1.0], [2.0]], dtype=tf.float16))


@pytest.mark.parametrize("dtype", [tf.complex64, tf.uint8, tf.string])
def test_other_dtypes_are_not_supported(dtype):
    assert not collectives.supports_sum(dtype)


def test_sizes_may_change_from_run_to_run():
    fed = []
    for device in CPUS[:2]:
        with tf.device(device):
            fed.append(tf.placeholder(tf.float32, [None]))
    with tf.device(CPUS[0]):
        first = tf.identity(fed[0])
    with tf.device(CPUS[1]):
        second = tf.identity(fed[1])
    results = collectives.all_reduce_sum([first, second], 1, 1)
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as session:
        for size in (3, 1, 1000, 2):
            found = session.run(results, {fed[0]: np.arange(size), fed[1]: np.ones(size)})
            assert found[0].tolist() == found[1].tolist() == (np.arange(size) + 1.0).tolist()


def test_free_instance_keys_are_not_used_in_the_graph(fresh_graph):
    assert collectives.free_instance_keys(fresh_graph, 2) == collectives.free_instance_keys(fresh_graph, 2)
    first, second = collectives.free_instance_keys(fresh_graph, 2)
    assert second == first + 1
    summed([[1.0], [2.0]], second)
    summed([[1.0], [2.0]], 7)
    assert collectives.free_instance_keys(fresh_graph, 2) == [second + 1, second + 2]


def test_group_keys_differ_for_different_devices():
    zero, one = "/device:CPU:0", "/device:CPU:1"
    lists = [[zero, one], [one, zero], [zero], [one]]
    found = [collectives.group_key(each) for each in lists]
    assert len(set(found)) == 4 and found == [collectives.group_key(each) for each in lists]
    assert all(0 <= key < 2**31 for key in found)


def test_nccl_all_sum_runs_on_the_gpu_of_each_tensor():
    tensors = []
    for device in ("/gpu:1", "/gpu:3"):
        with tf.device(device):
            tensors.append(tf.zeros([2, 3]))
    results = collectives.nccl_all_sum(tensors)
    assert [each.op.type for each in results] == ["NcclAllReduce"] * 2
    assert [each.device for each in results] == ["/device:GPU:1", "/device:GPU:3"]
    assert [each.shape.as_list() for each in results] == [[2, 3]] * 2
