"""Wrong conversions: each proof says what differs."""
from unittest import mock

import pytest
from planted_datasets import planted

from legacy_towers.compat import tf
from legacy_towers.migrate import prove
from legacy_towers.migrate.conversion.datasets import DatasetBuilder


def numbers(num_epochs=1, count=12):
    number = tf.train.range_input_producer(count, num_epochs=num_epochs, shuffle=False).dequeue()
    return [number, tf.cast(number, tf.float32) / 4.0]


def swapped(dataset):
    return dataset.take(1).concatenate(dataset.skip(2).take(1)).concatenate(dataset.skip(1).take(1)).concatenate(
        dataset.skip(3)
    )


def one_byte(dataset):
    def change(number, x):
        return number, tf.where(tf.equal(number, 7), x + 0.5, x)

    return dataset.map(change)


SEQUENCES = [
    ("the last batch is missing", lambda dataset: dataset.take(3),
     "the queue gave 4 batches (12 examples), tf.data gave 3 batches (9 examples)"),
    ("the first batch is missing", lambda dataset: dataset.skip(1),
     "batch 1, component 0 ('batch:0') has other values: [0 1 2] in the queue, [3 4 5] in tf.data"),
    ("an epoch more", lambda dataset: dataset.repeat(2),
     "the queue gave 4 batches (12 examples), tf.data gave 8 batches (24 examples)"),
    ("two batches are swapped", swapped,
     "batch 2, component 0 ('batch:0') has other values: [3 4 5] in the queue, [6 7 8] in tf.data"),
    ("one value of a component", one_byte,
     "batch 3, component 1 ('batch:1') has other values: [1.5 1.75 2. ] in the queue, [1.5 2.25 2. ] in tf.data"),
    ("the last bit of a float", lambda dataset: dataset.map(lambda number, x: (number, x * 1.0000001)),
     "batch 1, component 1 ('batch:1') has other values: "),
    ("smaller batches", lambda dataset: dataset.map(lambda number, x: (number[:2], x[:2])),
     "batch 1, component 0 ('batch:0'): the queue gave int32[3], tf.data gave int32[2]"),
    ("an error", lambda dataset: dataset.map(lambda number, x: (number + tf.cast(tf.io.decode_raw("", tf.uint8)[0],
                                                                              tf.int32), x)),
     "tf.data fails after 0 of 4 batches, the queue does not: InvalidArgumentError: "),
]


@pytest.mark.parametrize("change, reason", [each[1:] for each in SEQUENCES], ids=[each[0] for each in SEQUENCES])
def test_another_sequence_is_different(change, reason):
    with tf.Graph().as_default() as graph:
        tf.train.batch(numbers(), 3)
        if reason.startswith("batch 1, component 0 ('batch:0'): the queue gave"):
            context = mock.patch("legacy_towers.migrate.proof.sides.conversion.convert", convert_without_shapes(change))
        else:
            context = planted(change)
        with context:
            proof = prove(graph, rounds=0)
    assert proof.verdict == "different"
    assert proof.pipelines[0].reason.startswith(reason)


def convert_without_shapes(change):
    """Returns a `convert` whose dataset gives batches of other shapes, which static shapes do not know."""
    from legacy_towers.migrate.conversion import convert as module

    def convert(graph, epochs=None):
        converted = module._Conversion(graph, epochs).run()
        with graph.as_default():
            new = {old: tf.placeholder_with_default(value[:2], [None]) for old, value in converted.replaced.items()}
        return converted._replace(replaced=new)

    return convert


def shuffled(num_epochs=1):
    return tf.train.shuffle_batch(numbers(num_epochs), 3, 12, 4, seed=1)


def without_the_last(dataset):
    return dataset.take(3).concatenate(dataset.take(1))


SETS = [
    ("an example is missing, another one twice", without_the_last, "3 of 12 examples of the queue are not in tf.data"),
    ("an epoch less", lambda dataset: dataset.take(3),
     "the queue gave 4 batches (12 examples), tf.data gave 3 batches (9 examples)"),
    ("one value", one_byte, "1 of 12 examples of the queue are not in tf.data as often, 1 of tf.data are not in the "
     "queue; one of the queue: 'shuffle_batch:0': 7, 'shuffle_batch:1': 1.75"),
]


@pytest.mark.parametrize("change, reason", [each[1:] for each in SETS], ids=[each[0] for each in SETS])
def test_another_set_is_different(change, reason):
    shuffled()
    with planted(change):
        proof = prove(rounds=0)
    assert proof.pipelines[0].verdict == "different"
    assert proof.pipelines[0].reason.startswith(reason)


def test_an_example_that_only_a_dropped_batch_would_show():
    tf.train.shuffle_batch(numbers(count=13), 3, 13, 4, seed=1)
    taken = DatasetBuilder._enqueued

    def changed(self, queue, group):
        flow = taken(self, queue, group)
        if queue.kind != "RandomShuffleQueue":
            return flow
        return flow.then(flow.dataset.map(lambda number, x: (tf.maximum(number, 1), x)), "planted")

    with mock.patch.object(DatasetBuilder, "_enqueued", changed):
        proof = prove(rounds=0)
    assert proof.pipelines[0].verdict == "different"
    assert "one of the queue: 'shuffle_batch:0': 0, " in proof.pipelines[0].reason
