"""The comparison of shuffles in two runs of a command."""
import pytest

from legacy_towers.compat import tf
from legacy_towers.compat.versions import fixed_order, recorded_tensors
from legacy_towers.migrate.verify import compare
from legacy_towers.migrate.verify.runs import Epochs, Record

NAMES = [str(each) for each in range(12)]
MIXED = NAMES[::2] + NAMES[1::2]


def record(order, names, shuffling, changed=()):
    batches = [[{"rows": names, "parts": [[each] for each in names]}]]
    whole = {0: Epochs(batches, "", False)}
    return Record("", "", "", order, 0, "", 1, len(names), changed, (), (), [], [], [shuffling], [True], [], [], [],
                  whole, {}, [], False)


@pytest.mark.parametrize("shuffling, lost", [(True, "pipeline 1 is shuffled less: "), (False, None)],
                         ids=["its queue shuffles", "its threads change the order, and another queue shuffles"])
def test_a_pipeline_is_shuffled_less_only_where_its_own_queues_shuffle(shuffling, lost):
    changed = [(fixed_order.SHUFFLING_QUEUES,), (fixed_order.SHUFFLED_DATASETS,)]
    fixed = [record("fixed", NAMES, False, each) for each in changed]
    plain = [record("plain", MIXED, shuffling), record("plain", NAMES, False)]
    found, _ = compare.shuffles(fixed, plain)
    assert found is None if lost is None else found.startswith(lost)


@pytest.mark.parametrize("makes, shuffles", [
    (lambda one: tf.train.shuffle_batch([one], 2, 9, 3), True),
    (lambda one: tf.train.batch([tf.train.shuffle_batch([one], 2, 9, 3)], 2), True),
    (lambda one: tf.train.batch([one], 2, num_threads=4), False),
], ids=["shuffle_batch", "batch behind shuffle_batch", "batch by several threads"])
def test_the_recorder_finds_queues_that_shuffle(makes, shuffles):
    with tf.Graph().as_default():
        found = makes(tf.train.string_input_producer(["a", "b"]).dequeue())
        read = found.op
        while not read.type.startswith("QueueDequeue"):
            read = read.inputs[0].op
        assert recorded_tensors.is_shuffled(read) == shuffles


def _bucketed(number):
    return tf.contrib.training.bucket_by_sequence_length(number, [tf.range(number)], 2, [5], dynamic_pad=True)


@pytest.mark.parametrize("makes, are_of_buckets", [
    (_bucketed, True),
    (lambda number: tf.train.batch_join([[number], [number + 1]], 2), False),
    (lambda number: tf.train.batch([number], 2, num_threads=2), False),
], ids=["bucket_by_sequence_length", "batch_join", "batch by several threads"])
def test_batches_of_buckets_come_in_any_order(makes, are_of_buckets):
    with tf.Graph().as_default():
        makes(tf.train.range_input_producer(9).dequeue())
        runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        assert any(fixed_order._are_of_buckets(each.enqueue_ops) for each in runners) == are_of_buckets


def test_batches_that_come_in_any_order_are_compared_by_their_number():
    one, other = ([[{"described": [each], "rows": NAMES}]] * 2 for each in ("int32[2]", "int32[3]"))
    assert compare.shapes(one, other, "batch") == "batch 1 has int32[2] before, int32[3] after"
    assert compare.shapes(one, other, "batch", is_ordered=False) is None
    assert compare.shapes(one, other[:1], "batch", is_ordered=False) is not None


def _batches(*shapes):
    return [[{"described": list(each), "rows": NAMES}] for each in shapes]


@pytest.mark.parametrize("before, after, difference", [
    ([("a[2, 4]", "b[2]"), ("a[2, 5]", "b[2]")], [("b[2]", "a[2, 5]"), ("a[2, 3]", "b[2]")], None),
    ([("a[2, 4]",), ("a[2, 5]",)], [("a[2, 5]",), ("a[2, 5]",)], "batch 1 has a[2, ?] before, a[2, 5] after"),
    ([("a[2, 4]",), ("a[2, 5]",)], [("a[2, 5]",), ("a[1, 6]",)], "batch 2 has a[2, ?] before, a[1, ?] after"),
    ([("a[2, 4, 3]",), ("a[2, 5, 3]",)], [("a[2, 5, 1]",), ("a[2, 4, 1]",)],
     "batch 1 has a[2, ?, 3] before, a[2, ?, 1] after"),
    ([("a[2, 4]", "a[2, 9]")] * 2, [("a[2, 9]", "a[2, 4]")] * 2, None),
    ([("a[2, 4]", "a[2, 9]")] * 2, [("a[2, 9]", "a[2, 9]")] * 2,
     "batch 1 has a[2, 4], a[2, 9] before, a[2, 9], a[2, 9] after"),
    ([("a[2, 4]",)], [("a[2, 5]",)], "batch 1 has a[2, 4] before, a[2, 5] after"),
], ids=["padded", "padded before only", "another size of a batch", "another size beside a padded one",
        "components in another order", "components of one dtype", "no padding seen"])
def test_sizes_of_padded_batches_are_compared_by_whether_they_differ(before, after, difference):
    assert compare.shapes(_batches(*before), _batches(*after), "batch") == difference


def test_other_orders_show_which_sizes_are_padded():
    one, other = _batches(["a[2, 4]"]), _batches(["a[2, 5]"])
    assert compare.shapes(one, other, "batch", others=(other, [])) is not None
    assert compare.shapes(one, other, "batch", others=(other, one)) is None
