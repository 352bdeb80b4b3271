"""The first examples of any source: the same global batches again and again, by each input pipeline."""
import pytest

import legacy_towers as lt
from legacy_towers.errors import ArgumentError
from legacy_towers.specs import pipelines

PIPELINES = [name for name in pipelines.PIPELINES if name != "synthetic"]
# Each pipeline reads arrays; files and generators differ before the pipeline, so one of each kind shows them.
PAIRS = [(name, "arrays") for name in PIPELINES] + [
    ("queue", "tfrecords"), ("staged+dataset:sharded", "tfrecords"), ("feed", "fixed_length"),
    ("queue", "fixed_length"), ("feed:background", "generator"), ("dataset:split", "generator"),
]


@pytest.mark.parametrize("pipeline, kind", PAIRS, ids=["{}-{}".format(*pair) for pair in PAIRS])
def test_the_same_global_batches_come_again_and_again(pipeline, kind, sources, make_input, drive, cpus):
    examples = sources(kind, seed=7).take(16)
    assert examples.count() == examples.known_count() == 16 and examples.describe().startswith("the first 16 of ")
    batches = make_input(pipeline, examples, per_tower_batch_size=2, epochs=3, order="fixed").build(cpus)
    assert batches.plan.source == examples.describe()
    steps = [sorted(sum((tower["id"].tolist() for tower in step), [])) for step in drive(batches)]
    assert steps == [list(range(0, 8)), list(range(8, 16))] * 3


@pytest.mark.parametrize("kind", ["tfrecords", "fixed_length", "arrays", "generator"])
def test_taken_examples_are_those_at_the_beginning(kind, sources):
    examples = sources(kind, seed=7)
    first = examples.take(5)
    whole = next(examples.numpy_batches(5, shuffle=False))
    (taken,) = first.numpy_batches(9, shuffle=False)
    assert taken["id"].tolist() == whole["id"].tolist() and taken["part"]["x"].tolist() == whole["part"]["x"].tolist()
    assert sorted(sum((each["id"].tolist() for each in first.numpy_batches(2)), [])) == whole["id"].tolist()
    ids = list(examples.ids())[:5]
    assert list(first.ids()) == ids and first.name_of(ids[4]) == examples.name_of(ids[4])
    for named in (examples.with_ids().take(5), first.with_ids()):
        (batch,) = named.numpy_batches(9, shuffle=False)
        assert batch["id"].tolist() == ids == list(named.ids())
        assert batch["example"]["id"].tolist() == whole["id"].tolist()
    assert examples.take(1000).count() == 64 and first.map(lambda example: example["id"] + 1).take(2).count() == 2
    with pytest.raises(ArgumentError, match="take: a number of examples of at least 1 is needed, got 0"):
        examples.take(0)


def test_whole_files_and_lines_are_taken_too(tmp_path):
    for number in range(3):
        (tmp_path / "{}.txt".format(number)).write_text("{}\n{}\n".format(number, number + 10))
    pattern = str(tmp_path / "*.txt")
    lines = lt.Examples.from_text_lines(pattern, lambda line: line).take(3)
    assert [list(batch) for batch in lines.numpy_batches(5, shuffle=False)] == [[b"0", b"10", b"1"]]
    files = lt.Examples.from_whole_files(pattern, lambda path, contents: contents).take(2)
    assert [list(batch) for batch in files.numpy_batches(5, shuffle=False)] == [[b"0\n10\n", b"1\n11\n"]]
    assert lines.describe() == "the first 3 of " + lt.Examples.from_text_lines(pattern, str).describe()
