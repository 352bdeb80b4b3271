"""Ids: an example has the same id in every input pipeline, and ids don't change the order."""
import numpy as np
import pytest
from diagonals import diagonals

PIPELINES = ["feed", "queue", "dataset:split", "dataset:next_per_tower", "dataset:sharded"]
KINDS = ["tfrecords", "fixed_length", "text_lines", "csv", "whole_files", "arrays", "generator"]
PAIRS = [
    (pipeline, kind)
    for pipeline in PIPELINES
    for kind in KINDS
    if kind != "generator" or pipeline not in ("queue", "dataset:sharded")
]
COUNT = 64
FILE = 2 ** 40


def expected_ids(kind):
    """The ids of examples 0 to 63 as `sources` writes them, computed from the files' layout."""
    if kind == "tfrecords":
        # The files hold 22, 21 and 21 records of one length: numbers up to 63 take one byte each.
        from legacy_towers.compat import tf

        feature = {
            "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[7])),
            "x": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0, 3.0])),
        }
        size = tf.train.Example(features=tf.train.Features(feature=feature)).ByteSize() + 16
        return [number * FILE + place * size for number, count in enumerate((22, 21, 21)) for place in range(count)]
    if kind == "fixed_length":
        return [number * FILE + place for number in range(2) for place in range(32)]
    if kind in ("text_lines", "csv"):
        # Line 1 is a header.
        return [number * FILE + line for number, count in enumerate((22, 21, 21)) for line in range(2, 2 + count)]
    return list(range(COUNT))


@pytest.mark.parametrize("pair, order", diagonals(2, ["-".join(pair) for pair in PAIRS], ["any", "fixed"]))
def test_every_pipeline_gives_the_same_ids(pair, order, sources, make_input, drive, cpus):
    pipeline, kind = pair.split("-")
    examples = sources(kind, seed=3).map(lambda example: dict(example, twice=example["id"] * 2))
    numbered = examples.with_ids().map(lambda element: dict(element, thrice=element["example"]["id"] * 3))
    steps = drive(make_input(pipeline, numbered, per_tower_batch_size=4, epochs=2, order=order).build(cpus))
    ids = np.array(expected_ids(kind))
    assert list(numbered.ids()) == list(examples.ids()) == ids.tolist()
    seen = []
    for step in steps:
        for tower in step:
            np.testing.assert_array_equal(tower["id"], ids[tower["example"]["id"]])
            np.testing.assert_array_equal(tower["example"]["part"]["x"][:, 1], tower["example"]["id"] / 2)
            np.testing.assert_array_equal(tower["example"]["twice"], tower["example"]["id"] * 2)
            np.testing.assert_array_equal(tower["thrice"], tower["example"]["id"] * 3)
            seen.extend(tower["id"].tolist())
    assert sorted(seen) == sorted(ids.tolist() * 2)
    if order == "fixed":
        assert seen == ids.tolist() * 2


@pytest.mark.parametrize("pipeline, kind", [pair for pair in PAIRS if pair[0] in ("feed", PIPELINES[2], PIPELINES[4])])
def test_the_order_is_the_same_with_ids_and_without(pipeline, kind, sources, make_input, drive, cpus):
    def order(examples, pick):
        batches = make_input(pipeline, examples, per_tower_batch_size=4, epochs=2).build(cpus)
        return [pick(tower)["id"].tolist() for step in drive(batches) for tower in step]

    examples = sources(kind, seed=11)
    plain = order(examples, lambda tower: tower)
    assert order(examples.with_ids(), lambda tower: tower["example"]) == plain
    assert sum(plain, []) != list(range(COUNT)) * 2


@pytest.mark.parametrize("kind", ["tfrecords", "arrays"])
@pytest.mark.parametrize("pipeline", ["queue", "dataset"])
def test_ids_of_ids(pipeline, kind, sources, make_input, drive, cpus):
    twice = sources(kind).with_ids().with_ids()
    (tower,) = drive(make_input(pipeline, twice, per_tower_batch_size=8, order="fixed").build(cpus[:1]), steps=1)[0]
    np.testing.assert_array_equal(tower["id"], tower["example"]["id"])
    assert len(set(tower["id"].tolist())) == 8


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "generator"])
def test_several_readers_give_the_same_ids(kind, sources, make_input, drive, cpus):
    steps = drive(make_input("queue", sources(kind).with_ids(), per_tower_batch_size=4, epochs=1, join=2).build(cpus))
    ids = np.array(expected_ids(kind))
    seen = []
    for step in steps:
        for tower in step:
            np.testing.assert_array_equal(tower["id"], ids[tower["example"]["id"]])
            seen.extend(tower["id"].tolist())
    assert sorted(seen) == ids.tolist()
