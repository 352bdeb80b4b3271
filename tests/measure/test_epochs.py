"""check_epoch: correct for every input pipeline, and planted faults are reported."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.inputs.named import make_pipeline
from legacy_towers.specs.pipelines import PIPELINES

COUNT = 64
READING = [pipeline for pipeline in PIPELINES if "synthetic" not in pipeline]


@pytest.fixture
def examples(tmp_path):
    lines = ["{},{}\n".format(number, number * 2) for number in range(COUNT)]
    (tmp_path / "a.csv").write_text("number,twice\n" + "".join(lines[:40]))
    (tmp_path / "b.csv").write_text("number,twice\n" + "".join(lines[40:]))
    return lt.Examples.from_csv(str(tmp_path / "*.csv"), {"number": tf.int64, "twice": tf.int64}, seed=1)


@pytest.fixture
def cpus():
    return ["/cpu:{}".format(index) for index in range(4)]


@pytest.mark.parametrize(
    "pipeline, epochs", [(pipeline, 1) for pipeline in READING] + [("queue", 2), ("dataset:sharded", 2)]
)
def test_every_input_pipeline_is_correct(pipeline, epochs, examples, cpus):
    source = make_pipeline(pipeline, examples.with_ids(), per_tower_batch_size=4, epochs=epochs)
    report = lt.check_epoch(source, examples, cpus, epochs)
    assert report.ok and not report.lost and report.steps == 4 * epochs, str(report)
    assert [len(ids) for ids in report.per_tower] == [16 * epochs] * 4
    assert str(report).startswith("each example to one tower, once per epoch: {} examples to 4 towers in".format(
        COUNT * epochs
    ))


@pytest.mark.parametrize("remainder", ["drop", "pad", "short"])
@pytest.mark.parametrize("pipeline", ["feed", "queue", "dataset:split", "dataset:next_per_tower", "dataset:sharded"])
def test_a_last_incomplete_batch(pipeline, remainder, examples, cpus):
    source = make_pipeline(pipeline, examples.with_ids(), per_tower_batch_size=5, epochs=1, remainder=remainder)
    report = lt.check_epoch(source, examples.with_ids(), cpus)
    assert report.ok, str(report)
    assert (len(report.lost), report.steps) == ((4, 3) if remainder == "drop" else (0, 4))
    assert ("dropped at the end as an incomplete global batch: 4 (" in str(report)) == (remainder == "drop")


class Planted(lt.inputs.Input):
    """Batches of given ids, of shape [steps, towers, examples]."""

    def __init__(self, steps, global_batch_size=None, counts=None, **fields):
        self._ids = np.array(steps, np.int64)
        self._global = global_batch_size
        self._counts = counts
        self._fields = fields  # of TowerBatches

    def build(self, devices):
        data = tf.data.Dataset.from_tensor_slices(self._ids)
        batches = lt.inputs.from_dataset(data, route="split").build(devices)
        per_tower = [{"nested": {"number": batch[0]}} for batch in batches.per_tower]
        counts = None
        if self._counts is not None:
            counts = [tf.constant(count) for count in self._counts]
        plan = batches.plan._replace(per_tower_batch_size=None, global_batch_size=self._global)
        return batches._replace(per_tower=per_tower, plan=plan, counts=counts, **self._fields)


def number_of(batch):
    return batch["nested"]["number"]


def planted(change=None):
    """Returns the ids 0 to 31 as [4 steps, 4 towers, 2 examples], with the changes (step, tower, row) -> id."""
    ids = np.arange(32).reshape(4, 4, 2)
    for place, number in (change or {}).items():
        ids[place] = number
    return ids


FAULTS = [
    ("a lost example", {(1, 2, 0): 99}, {"lost": {12: 1}, "unknown": {99: 1}}, "lost: 1 (row 12)"),
    ("a repeat by one tower", {(1, 2, 0): 4}, {"lost": {12: 1}, "repeated": {4: 1}}, "repeated: 1 (row 4)"),
    ("an overlap", {(1, 2, 0): 1}, {"lost": {12: 1}, "repeated": {1: 1}, "overlaps": {(0, 2): (1,)}},
     "both tower 0 and tower 2 got: 1 (row 1)"),
    ("three towers overlap", {(0, 1, 0): 0, (0, 3, 1): 0}, {
        "lost": {2: 1, 7: 1}, "repeated": {0: 2}, "overlaps": {(0, 1): (0,), (0, 3): (0,), (1, 3): (0,)},
    }, "repeated: 2 (row 0)"),
    ("not of the data", {(3, 3, 1): -5}, {"lost": {31: 1}, "unknown": {-5: 1}}, "not in the data: 1 (-5)"),
]


@pytest.mark.parametrize("change, expected, message", [case[1:] for case in FAULTS], ids=[case[0] for case in FAULTS])
def test_planted_faults_are_reported(change, expected, message, cpus):
    rows = lt.Examples.from_arrays(np.zeros(32))
    report = lt.check_epoch(Planted(planted(change)), rows, cpus, ids_of=number_of)
    assert not report.ok
    found = {name: getattr(report, name) for name in ("lost", "repeated", "unknown", "overlaps")}
    assert {name: value for name, value in found.items() if value} == expected
    assert message in str(report) and str(report).startswith("NOT each example to one tower")


def test_examples_may_be_a_list_of_ids(cpus):
    report = lt.check_epoch(Planted(planted()), range(32), cpus, ids_of=number_of)
    assert report.ok and report.per_tower[1] == (2, 3, 10, 11, 18, 19, 26, 27)
    with tf.Graph().as_default():
        report = lt.check_epoch(Planted(planted()), range(30), cpus, ids_of=number_of)
        assert not report.ok and report.unknown == {30: 1, 31: 1}
    with tf.Graph().as_default():
        report = lt.check_epoch(Planted(planted()), range(40), cpus, ids_of=number_of)
        assert not report.ok and "lost: 8 (example 32; example 33; example 34; and 5 more)" in str(report)


def test_only_an_incomplete_last_batch_may_be_lost(cpus):
    """The last 4 of 36 examples do not fill a batch of 8."""
    with tf.Graph().as_default():
        assert lt.check_epoch(Planted(planted(), 8), range(36), cpus, ids_of=number_of).may_lose == 0
    rows = lt.Examples.from_arrays({"number": np.arange(36)}, shuffle=False).with_ids()
    report = lt.check_epoch(lt.inputs.dataset(rows, global_batch_size=8, route="split", epochs=1), rows, cpus)
    assert report.ok and report.may_lose == 4 and list(report.lost) == [32, 33, 34, 35]
    short = rows.map(lambda example: {"id": example["id"] // 2 * 2})
    with tf.Graph().as_default():
        report = lt.check_epoch(lt.inputs.dataset(short, global_batch_size=8, epochs=1), rows, cpus)
    assert not report.ok and len(report.lost) == 20 and len(report.repeated) == 16


def test_padding_is_not_counted(cpus):
    """The last row of tower 3 is padding."""
    ids = planted({(step, 3, 1): 0 for step in range(4)})
    report = lt.check_epoch(Planted(ids, counts=[2, 2, 2, 1]), range(32), cpus, ids_of=number_of)
    assert list(report.lost) == [7, 15, 23, 31] and not report.repeated and not report.ok


def test_validation_towers_are_not_counted(cpus):
    ids = planted({(step, 3, row): 500 for step in range(4) for row in range(2)})
    training = [number for number in range(32) if number % 8 < 6]
    report = lt.check_epoch(Planted(ids, modes=[lt.TRAIN] * 3 + [lt.EVAL]), training, cpus, ids_of=number_of)
    assert report.ok and report.per_tower[3] == ()


def test_batches_shared_by_towers_by_design_are_counted_once(cpus):
    ids = np.repeat(np.arange(8).reshape(4, 1, 2), 4, axis=1)
    assert lt.check_epoch(Planted(ids, shared_by_towers=True), range(8), cpus, ids_of=number_of).ok


def test_the_same_batch_for_all_towers_is_an_overlap(cpus):
    number = tf.data.make_initializable_iterator(tf.data.Dataset.range(16).batch(4))
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, number.initializer)
    batch = number.get_next()
    source = lt.inputs.from_tensors([{"id": batch} for _ in cpus])
    report = lt.check_epoch(source, range(16), cpus)
    assert not report.ok and len(report.repeated) == 16 and len(report.overlaps) == 6
    assert "both tower 0 and tower 1 got: 16 (example 0; example 1; example 2; and 13 more)" in str(report)


def test_check_epoch_in_a_given_session(examples, cpus):
    source = lt.inputs.queue(examples.with_ids(), per_tower_batch_size=4, epochs=1)
    with tf.Session(config=lt.session_config(logical_cpus=4)) as session:
        assert lt.check_epoch(source, examples, cpus, session=session).ok
        with pytest.raises(ArgumentError, match="pass session= or config=, not both"):
            lt.check_epoch(source, examples, cpus, session=session, config=lt.session_config())


def test_an_endless_input_is_stopped(examples, cpus):
    report = lt.check_epoch(lt.inputs.feed(examples.with_ids(), per_tower_batch_size=4), examples, cpus)
    assert not report.ok and not report.ended and report.repeated
    assert "the input did not end, and was stopped after 288 examples: create it with epochs=1" in str(report)


def test_batches_without_ids_are_an_error(examples, cpus):
    with pytest.raises(ArgumentError, match=r"no ids \('number', 'twice'\): read examples.with_ids\(\), or pass ids"):
        lt.check_epoch(lt.inputs.feed(examples, per_tower_batch_size=4, epochs=1), examples, cpus)
    with pytest.raises(ArgumentError, match="ids must be integers, not float32"):
        lt.check_epoch(
            lt.inputs.feed(examples, per_tower_batch_size=4, epochs=1), examples, cpus,
            ids_of=lambda batch: tf.cast(batch["number"], tf.float32),
        )
