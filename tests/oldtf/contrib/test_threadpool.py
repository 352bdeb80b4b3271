"""Datasets with threads of their own."""
import importlib

import pytest

from legacy_towers.compat import tf
from legacy_towers.oldtf import tree


@pytest.mark.parametrize("place", ["contrib.data.python.ops", "python.data.experimental.ops"])
def test_a_dataset_takes_a_pool_of_threads(place):
    tree.install()
    threadpool = importlib.import_module("legacy_towers.oldtf.tf1.{}.threadpool".format(place))
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


def test_all_reduce_is_found_where_benchmarks_import_it_from():
    tree.install()
    all_reduce = importlib.import_module("legacy_towers.oldtf.tf1.python.distribute.all_reduce")
    parts = [tf.constant([1.0, 2.0]), tf.constant([3.0, 5.0])]
    with tf.Session() as session:
        for total in session.run(all_reduce.build_recursive_hd_all_reduce(parts, tf.add)):
            assert total.tolist() == [4.0, 7.0]
