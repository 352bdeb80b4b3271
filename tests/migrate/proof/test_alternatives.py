"""Operations that compute different things of examples of one queue: each example is compared with all of them."""
import pytest
from planted_datasets import planted
from queue_inputs import parsed, producer

from legacy_towers.compat import tf
from legacy_towers.graph import meta_graphs
from legacy_towers.migrate import prove
from legacy_towers.migrate.proof import alternatives

A, B, C = ((letter.encode(),) for letter in "abc")


def distorted(files, changes, readers=1):
    """Returns batches of examples of a shuffling queue, which an operation for each of `changes` changes."""
    names = producer(files["tfrecord"])
    queue = tf.RandomShuffleQueue(20, 5, [tf.string])
    enqueues = [queue.enqueue(tf.TFRecordReader().read(names)[1]) for _ in range(readers)]
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, enqueues))
    record = queue.dequeue()
    joined = []
    for change in changes:
        number, x = parsed(record)
        joined.append([number, change(x)])
    return tf.train.batch_join(joined, 4)


def noisy(x):
    return x + tf.random_uniform([2])


CHANGES = [
    ("without random numbers", [lambda x: x + 0.25, lambda x: x - 0.25, lambda x: x * 3.0], 1),
    ("with random numbers", [noisy, lambda x: noisy(x) * -2.0], 1),
    ("behind two readers", [noisy, lambda x: noisy(x) * -2.0], 2),
    ("two of them alike", [noisy, noisy, lambda x: -noisy(x)], 1),
]


@pytest.mark.parametrize("changes, readers", [each[1:] for each in CHANGES], ids=[each[0] for each in CHANGES])
def test_each_example_is_proven_to_be_what_one_of_the_operations_computes(changes, readers, files):
    distorted(files, changes, readers)
    [proof] = prove(rounds=0).pipelines
    assert (proof.promise, proof.verdict) == ("same set", "proven"), str(proof)
    kinds = 3 if len(changes) == 3 and changes[0] is not changes[1] else 2
    assert proof.compared.startswith(
        "the same 36 examples, each as often, each as one of {} operations computes it".format(kinds)
    )
    assert any("takes an example is a race" in note for note in proof.notes)


WRONG = [
    ("values", lambda dataset: dataset.map(lambda number, x: (number, x + 1.0)),
     "tf.data: none of the operations computes 36 of its 36 examples"),
    ("one example twice, another lost", lambda dataset: dataset.map(
        lambda number, x: (tf.gather(number, [0, 0, 2, 3]), tf.gather(x, [0, 0, 2, 3]))), "tf.data: it lacks "),
    ("examples", lambda dataset: dataset.skip(1), "the queue gave 9 batches (36 examples), tf.data gave "),
]


@pytest.mark.parametrize("change, reason", [each[1:] for each in WRONG], ids=[each[0] for each in WRONG])
def test_wrong_examples_are_different(change, reason, files):
    distorted(files, CHANGES[0][1])
    with planted(change):
        [proof] = prove(rounds=0).pipelines
    assert proof.verdict == "different", str(proof)
    assert proof.reason.startswith(reason)


def test_operations_whose_examples_can_not_be_told_apart_are_not_compared(files):
    record = tf.train.batch([tf.TFRecordReader().read(producer(files["tfrecord"]))[1]], 1)[0]
    xs = [parsed(record)[1] for _ in range(2)]
    tf.train.batch_join([[xs[0] * 0.0], [xs[1] + 1.0]], 4, name="joined")
    [proof] = prove(rounds=0).pipelines
    assert proof.verdict == "not compared" and "takes an example is a race" in proof.reason


def test_operations_with_queues_of_their_own_are_no_alternatives(files):
    names = [producer(files["tfrecord"]), producer(files["tfrecord"][:1])]
    both = [parsed(tf.TFRecordReader().read(each)[1]) for each in names]
    tf.train.batch_join([both[0], [both[1][0], both[1][1] * 2.0]], 4, name="joined")
    graph = meta_graphs.imported(meta_graphs.meta_graph_of(tf.get_default_graph()))
    assert alternatives.operations_of(graph, "joined/fifo_queue") == ()


COMPARED = [
    ("each taken once", [[A, B], [C, A + A]], [A, A + A], ("", True)),
    ("all by the same operation", [[A, B], [C, A + A]], [A, B], ("", False)),
    ("twice as often", [[A, B], [C, A + A]], [A, C], ("it lacks 1 of 2 examples, or has them less often", True)),
    ("an unknown one", [[A], [B]], [C], ("none of the operations computes 1 of its 1 examples", True)),
    ("alike for two examples", [[A, A], [B, C]], [A, A], ("", False)),
    ("the same example twice", [[A, A], [B, B]], [B, A], ("", True)),
    ("other numbers of examples", [[A, B], [C]], [A, B], ("", False)),
]


@pytest.mark.parametrize(
    "computed, examples, found", [each[1:] for each in COMPARED], ids=[each[0] for each in COMPARED]
)
def test_examples_are_compared_with_what_each_operation_computes(computed, examples, found):
    assert alternatives.compare(computed, examples) == found
