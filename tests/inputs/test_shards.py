"""The shards in the plan, compared with the examples that the towers get."""
import re

import pytest

import legacy_towers as lt
from legacy_towers import inputs

COUNT = 64
FIXED = ["feed", "queue", "dataset:split", "dataset:next_per_tower", "dataset:sharded", "dataset:per_device"]


@pytest.mark.parametrize("pipeline", FIXED)
def test_the_fixed_order(pipeline, sources, make_input, drive, cpus):
    batches = make_input(pipeline, sources("arrays", seed=5), per_tower_batch_size=4, epochs=2, order="fixed").build(
        cpus
    )
    assert batches.plan.seed is None
    for tower, shard in enumerate(batches.plan.shards):
        found = re.match(r"examples 16g\+(\d+) to 16g\+(\d+) of the data at step g \(g from 0, where the first is row "
                         r"(\d+)\)$", shard)
        first, last, row = map(int, found.groups())
        for step, values in enumerate(drive(batches, steps=3) if tower == 2 else ()):
            assert values[tower]["id"].tolist() == list(range(16 * step + first, 16 * step + last + 1))
        assert (first, last, row) == (4 * tower, 4 * tower + 3, 4 * tower)
    assert "tower 0: examples 16g+0 to 16g+3 of the data" in str(batches.plan).splitlines()[2]


@pytest.mark.parametrize("pipeline", ["feed", "dataset:split", "dataset:per_device"])
def test_rows_of_each_step(pipeline, sources, make_input, drive, cpus):
    """Without shuffling, ids show which rows of a step a tower gets."""
    batches = make_input(pipeline, sources("tfrecords", shuffle=False), per_tower_batch_size=4, epochs=1).build(cpus)
    assert batches.plan.shards == tuple(
        "examples {} to {} of each step's 16".format(4 * tower, 4 * tower + 3) for tower in range(4)
    )
    for step, values in enumerate(drive(batches)):
        for tower in range(4):
            assert values[tower]["id"].tolist() == list(range(16 * step + 4 * tower, 16 * step + 4 * tower + 4))


@pytest.mark.parametrize("kind, names", [
    ("arrays", "row 2; row 6; row 10"),
    ("csv", "0.csv, line 4; 0.csv, line 8; 0.csv, line 12"),
    ("whole_files", "02; 06; 10"),
])
def test_shards(kind, names, sources, make_input, drive, cpus):
    batches = make_input("dataset:sharded", sources(kind, seed=8), per_tower_batch_size=4, epochs=2).build(cpus)
    assert batches.plan.seed == 8
    assert batches.plan.shards[2] == "every 4th example of each epoch from number 2 on ({}, ...)".format(names)
    seen = [number for step in drive(batches) for number in step[2]["id"].tolist()]
    assert sorted(seen) == sorted(list(range(2, COUNT, 4)) * 2)


@pytest.mark.parametrize("remainder", ["pad", "short"])
def test_shards_with_remainder(remainder, sources, make_input, drive, cpus):
    options = {"per_tower_batch_size": 5, "epochs": 1, "remainder": remainder}
    batches = make_input("dataset:sharded", sources("tfrecords", seed=8), **options).build(cpus)
    assert batches.plan.shards[1].startswith("every 4th example of each epoch from number 1 on (0.tfrecord, byte ")
    fetched = batches._replace(per_tower=[{"id": tower["id"], "count": count} for tower, count in zip(
        batches.per_tower, batches.counts)])
    seen = [number for step in drive(fetched) for number in step[1]["id"][:step[1]["count"]].tolist()]
    assert sorted(seen) == list(range(1, COUNT, 4))


@pytest.mark.parametrize("remainder", ["drop", "pad", "short"])
def test_towers_of_shards_of_files_have_each_example_once_per_epoch(remainder, sources, make_input, drive, cpus):
    options = {"per_tower_batch_size": 5, "epochs": 2, "remainder": remainder}
    # 3 files of 22, 21 and 21 examples, for 4 towers.
    batches = make_input("dataset:sharded:files", sources("tfrecords", seed=8), **options).build(cpus)
    assert str(batches.plan).startswith("dataset:sharded:files, order any, 5 examples per tower, ")
    assert batches.plan.shards[:2] == (
        "16 examples of each epoch: records 0 to 15 of 0.tfrecord",
        "16 examples of each epoch: records 16 to 21 of 0.tfrecord, records 0 to 9 of 1.tfrecord",
    )
    counts = batches.counts or [5] * 4
    fetched = batches._replace(per_tower=[
        {"id": tower["id"], "count": count} for tower, count in zip(batches.per_tower, counts)
    ])
    steps = drive(fetched)
    assert len(steps) == (6 if remainder == "drop" else 7)
    for tower in range(4):
        seen = [number for step in steps for number in step[tower]["id"][:step[tower]["count"]].tolist()]
        assert len(seen) == 32 - (2 if remainder == "drop" else 0)
        assert set(seen) == set(range(16 * tower, 16 * tower + 16))
        assert sorted(seen[:16]) == list(range(16 * tower, 16 * tower + 16))


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("count", [3, 5])
@pytest.mark.parametrize("pipeline", ["dataset:sharded", "dataset:sharded:files"])
def test_shards_that_are_not_equal_have_each_example_once_per_epoch(
    pipeline, count, shuffle, tmp_path, make_input, drive, cpus
):
    lines = ["{}\n".format(number) for number in range(count)]
    (tmp_path / "0.txt").write_text("".join(lines[:2]))
    (tmp_path / "1.txt").write_text("".join(lines[2:]))
    examples = lt.Examples.from_text_lines(str(tmp_path / "*.txt"), lambda line: line, shuffle=shuffle, seed=1)
    batches = make_input(pipeline, examples.map(lambda line: {"id": line}), per_tower_batch_size=1).build(cpus)
    if pipeline == "dataset:sharded":
        assert batches.plan.shards[1].startswith("every 4th example of all epochs from number 1 on (0.txt, line 2")
    else:
        shares = "{} or {} examples of each epoch: ".format(count // 4, count // 4 + 1)
        assert all(shard.startswith(shares) for shard in batches.plan.shards)
    # 4 towers end 4 epochs after as many steps as there are examples.
    steps = [[int(tower["id"][0]) for tower in step] for step in drive(batches, steps=5 * count)]
    for first in range(0, 5 * count, count):
        assert sorted(sum(steps[first:first + count], [])) == sorted(list(range(count)) * 4)


@pytest.mark.parametrize("pipeline", ["queue", "dataset:next_per_tower"])
def test_shards_of_towers_that_compete(pipeline, sources, make_input, cpus):
    plan = make_input(pipeline, sources("arrays", seed=8), per_tower_batch_size=4).build(cpus).plan
    assert set(plan.shards) == {"the next 4 examples in the queue or dataset when it runs"}
    assert str(plan).splitlines()[2] == "  each tower: the next 4 examples in the queue or dataset when it runs"


def test_queue_with_remainder_splits_global_batches(sources, make_input, drive, cpus):
    options = {"per_tower_batch_size": 5, "epochs": 1, "remainder": "short", "threads": 1, "shuffle": False}
    batches = inputs.queue(sources("arrays"), **options).build(cpus)
    assert batches.plan.shards[3] == "examples 15 to 19 of each step's 20"
    steps = drive(batches)
    assert steps[1][3]["id"].tolist() == [35, 36, 37, 38, 39]


def test_one_example_and_one_tower(sources, cpus):
    def shards(towers, **options):
        return inputs.feed(sources("arrays"), epochs=1, **options).build(cpus[:towers]).plan.shards

    assert shards(1, per_tower_batch_size=1) == ("example 0 of each step's 1",)
    assert shards(2, per_tower_batch_size=1, order="fixed")[1] == (
        "example 2g+1 of the data at step g (g from 0, where the first is row 1)"
    )


def test_the_plan_does_not_run_a_generator():
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    def never():
        raise AssertionError("it was run")

    examples = Examples.from_generator(never, tf.TensorSpec([], tf.float32), count=8)
    plan = inputs.feed(examples, per_tower_batch_size=2, order="fixed").build(["/cpu:0", "/cpu:0"]).plan
    assert plan.shards[1] == "examples 4g+2 to 4g+3 of the data at step g (g from 0)"


def test_the_plan_names_no_example_far_into_the_data(sources):
    plan = inputs.feed(sources("tfrecords"), per_tower_batch_size=600, order="fixed").build(["/cpu:0"] * 3).plan
    assert plan.shards[0].endswith("(g from 0, where the first is 0.tfrecord, byte 0)")
    assert plan.shards[2] == "examples 1800g+1200 to 1800g+1799 of the data at step g (g from 0)"


def test_a_damaged_file_is_an_error_when_the_pipeline_is_built(sources, tmp_path):
    examples = sources("tfrecords")
    (tmp_path / "0.tfrecord").write_bytes(b"no record at all")
    with pytest.raises(lt.errors.InputError, match="0.tfrecord is damaged"):
        inputs.dataset(examples, per_tower_batch_size=2, route="sharded").build(["/cpu:0"] * 2)


def test_the_plan_lists_the_towers_or_some_of_many(sources, cpus):
    def lines(towers):
        plan = inputs.feed(sources("arrays"), per_tower_batch_size=2).build((cpus * 4)[:towers]).plan
        assert len(plan.shards) == towers
        return str(plan).splitlines()[2:-1]

    assert lines(8) == [
        "  tower {}: examples {} to {} of each step's 16".format(tower, 2 * tower, 2 * tower + 1) for tower in range(8)
    ]
    assert lines(16) == [
        "  tower 0: examples 0 to 1 of each step's 32", "  tower 1: examples 2 to 3 of each step's 32",
        "  ... (13 towers alike)", "  tower 15: examples 30 to 31 of each step's 32",
    ]
