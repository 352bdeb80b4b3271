"""Random numbers that operations draw in any order: copies in which all examples get the same are compared."""
import numpy as np
import pytest
from planted_datasets import planted
from queue_inputs import parsed, producer

from legacy_towers.compat import tf
from legacy_towers.graph import meta_graphs
from legacy_towers.migrate import prove
from legacy_towers.migrate.proof.same_numbers import SEEDS, with_same_numbers


def joined(files, change):
    names = producer(files["tfrecord"])
    both = [parsed(tf.TFRecordReader().read(names)[1]) for _ in range(2)]
    return tf.train.batch_join([[number, change(x)] for number, x in both], 4)


def behind_a_queue_that_two_readers_fill(files, change):
    names = producer(files["tfrecord"])
    number = tf.train.shuffle_batch_join([[parsed(tf.TFRecordReader().read(names)[1])[0]] for _ in range(2)], 1, 20, 5)
    return tf.train.batch([number[0], change(tf.cast(tf.stack([number[0], number[0]]), tf.float32))], 4)


def in_batches_of_another_queue(files, change):
    names = producer(files["tfrecord"])
    both = [parsed(tf.TFRecordReader().read(names)[1]) for _ in range(2)]
    batch = tf.train.shuffle_batch_join([[number, change(x)] for number, x in both], 5, 20, 5)
    queue = tf.FIFOQueue(4, [tf.int64, tf.float32], [each.shape for each in batch])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(batch)]))
    queue.dequeue()


def in_branches(x):
    return tf.cond(tf.random_uniform([]) < 0.5, lambda: x, lambda: -x)


@pytest.mark.parametrize("build", [
    joined, behind_a_queue_that_two_readers_fill, in_batches_of_another_queue,
], ids=lambda build: build.__name__)
@pytest.mark.parametrize("change", [
    lambda x: x + tf.random_uniform([2]), lambda x: x + tf.random_uniform([2], seed=3), in_branches,
], ids=["uniform", "with a seed", "in branches"])
def test_a_race_for_random_numbers_is_proven_with_the_same_for_all_examples(build, change, files):
    build(files, change)
    [proof] = prove(rounds=0).pipelines
    assert (proof.promise, proof.verdict) == ("same set", "proven"), str(proof)
    assert proof.compared.startswith("the same 36 examples, each as often, bit for bit")
    assert "drew the same numbers for all examples" in proof.notes[-1]


def test_other_examples_are_different_whatever_the_random_numbers(files):
    joined(files, in_branches)
    with planted(lambda dataset: dataset.map(lambda number, x: (number, tf.abs(x)))):
        [proof] = prove(rounds=0).pipelines
    assert proof.verdict == "different"
    assert "examples of the queue are not in tf.data as often" in proof.reason


def test_random_numbers_of_another_kind_are_not_compared(files):
    joined(files, lambda x: x + tf.random_gamma([2], 1.0))
    [proof] = prove(rounds=0).pipelines
    assert (proof.verdict, proof.reason) == (
        "not compared", "which example gets which random numbers is a race between operations",
    )


OPERATIONS = [
    lambda: tf.random_uniform([3]), lambda: tf.random_uniform([3], 0, 1000, tf.int32), lambda: tf.random_normal([3]),
    lambda: tf.truncated_normal([3]), lambda: tf.multinomial([[0.0] * 1000], 3)[0],
]


@pytest.mark.parametrize("make", OPERATIONS, ids=["uniform", "int", "normal", "truncated", "multinomial"])
def test_an_operation_draws_the_same_numbers_in_each_run_of_a_copy(make):
    result = make()
    found = []
    for seed in SEEDS:
        meta = meta_graphs.meta_graph_of(tf.get_default_graph())
        names = [node.name for node in meta.graph_def.node if node.op.startswith(("Random", "Trunc", "Multi"))]
        graph = meta_graphs.imported(with_same_numbers(meta, names, seed))
        with tf.Session(graph=graph) as session:
            first, second = [session.run(result.name) for _ in range(2)]
        assert np.array_equal(first, second) and first.dtype == result.dtype.as_numpy_dtype
        assert len(set(first.tolist())) == 3
        found.append(first)
    assert not np.array_equal(*found)


def test_seeds_choose_both_halves_of_the_unit_interval():
    values = []
    result = tf.random_uniform([])
    for seed in SEEDS:
        meta = meta_graphs.meta_graph_of(tf.get_default_graph())
        graph = meta_graphs.imported(with_same_numbers(meta, ["random_uniform/RandomUniform"], seed))
        with tf.Session(graph=graph) as run:
            values.append(run.run(result.name))
    assert values[0] < 0.5 < values[1]


def test_a_distorted_bounding_box_is_the_middle_of_the_image_in_a_copy():
    begin, size, box = tf.image.sample_distorted_bounding_box([40, 60, 3], [[[0.0, 0.0, 1.0, 1.0]]])
    cut = tf.slice(tf.zeros([40, 60, 3]), begin, size)
    random_op = begin.op.name
    meta = meta_graphs.meta_graph_of(tf.get_default_graph())
    graph = meta_graphs.imported(with_same_numbers(meta, [random_op], 1))
    with tf.Session(graph=graph) as session:
        values = session.run([
            graph.get_tensor_by_name(random_op + "/begin:0"), graph.get_tensor_by_name(random_op + "/size:0"),
            graph.get_tensor_by_name(random_op + "/box:0"), cut.name,
        ])
    assert values[0].tolist() == [10, 15, 0] and values[1].tolist() == [20, 30, -1]
    assert values[2].tolist() == [[[0.25, 0.25, 0.75, 0.75]]] and values[3].shape == (20, 30, 3)
    assert box.shape == values[2].shape
