"""PrivateThreadPool and override_threadpool; all_reduce, which benchmarks import with them."""
import importlib

import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.tf1 import tree


@pytest.mark.parametrize("package", ["contrib.data.python.ops", "python.data.experimental.ops"])
def test_override_threadpool_sets_the_thread_pool_size(package):
    tree.install()
    threadpool = importlib.import_module("legacy_towers.compat.tf1.importable.tensorflow.{}.threadpool".format(package))
    dataset = tf.data.Dataset.range(4).map(lambda number: number * 2, num_parallel_calls=2)
    pool = threadpool.PrivateThreadPool(2, display_name="input", max_intra_op_parallelism=1)
    dataset = threadpool.override_threadpool(dataset, pool)
    if not tf.__version__.startswith("1.15"):
        assert dataset.options().threading.private_threadpool_size == 2
    iterator = tf.data.make_initializable_iterator(dataset)
    following = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        assert [session.run(following) for _ in range(4)] == [0, 2, 4, 6]


def test_all_reduce_is_in_the_module_that_benchmarks_import():
    tree.install()
    all_reduce = importlib.import_module("legacy_towers.compat.tf1.importable.tensorflow.python.distribute.all_reduce")
    parts = [tf.constant([1.0, 2.0]), tf.constant([3.0, 5.0])]
    with tf.Session() as session:
        for total in session.run(all_reduce.build_recursive_hd_all_reduce(parts, tf.add)):
            assert total.tolist() == [4.0, 7.0]
