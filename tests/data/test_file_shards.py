"""Shards of files: which records of which files each has, that it reads no others, and what can't be divided."""
import collections
import itertools
import os

import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.data import Examples
from legacy_towers.data.file_shards import consecutive_shards, pieces_of


@pytest.mark.parametrize("counts, shards, expected", [
    ([4, 4, 4], 3, [[(0, 0, 4)], [(1, 0, 4)], [(2, 0, 4)]]),
    ([6, 2], 3, [[(0, 0, 3)], [(0, 3, 3)], [(1, 0, 2)]]),
    ([2, 0, 3], 2, [[(0, 0, 2), (2, 0, 1)], [(2, 1, 2)]]),
    ([5], 1, [[(0, 0, 5)]]),
    ([1, 1], 4, [[(0, 0, 1)], [(1, 0, 1)], [], []]),
    ([1, 0], 1, [[(0, 0, 1)]]),
], ids=["whole files", "a file for two readers", "an empty file", "one reader", "more readers than records",
        "an empty last file"])
def test_pieces_of_consecutive_shards(counts, shards, expected):
    ends = list(itertools.accumulate(counts))
    pieces = [pieces_of(each, ends) for each in consecutive_shards(sum(counts), shards)]
    assert [[piece[:3] for piece in shard] for shard in pieces] == expected
    assert all(piece.is_whole == (piece.take == counts[piece.file]) for shard in pieces for piece in shard)


def tfrecords(folder, compression=""):
    for index, numbers in enumerate([range(5), range(5, 6), range(6, 17)]):
        options = tf.io.TFRecordOptions(compression) if compression else None
        with tf.io.TFRecordWriter(str(folder / "{}.tfrecord".format(index)), options) as writer:
            for number in numbers:
                writer.write("{:0{}}".format(number, 4 + number).encode())  # of different lengths
    return Examples.from_tfrecords(str(folder / "*.tfrecord"), tf.strings.to_number, compression=compression)


def fixed_length(folder):
    for index, numbers in enumerate([range(3), range(3, 17)]):
        np.arange(numbers.start, numbers.stop, dtype=np.float32).tofile(str(folder / "{}.bin".format(index)))
    return Examples.from_fixed_length(str(folder / "*.bin"), 4, lambda record: tf.decode_raw(record, tf.float32)[0])


def csv_lines(folder):
    for index, numbers in enumerate([range(8), range(8, 9), range(9, 17)]):
        (folder / "{}.csv".format(index)).write_text("x\n" + "".join("{}\n".format(number) for number in numbers))
    return Examples.from_csv(str(folder / "*.csv"), {"x": 0.0}).map(lambda columns: columns["x"])


def whole_files(folder):
    for number in range(17):
        (folder / "{:02}.txt".format(number)).write_text(str(number))
    return Examples.from_whole_files(str(folder / "*.txt"), lambda path, contents: tf.strings.to_number(contents))


SOURCES = {
    "tfrecords": tfrecords, "compressed": lambda folder: tfrecords(folder, "GZIP"), "fixed length": fixed_length,
    "csv": csv_lines, "whole files": whole_files,
}


def read(examples, shuffle=False, **options):
    """Returns (id, number) of each example of a dataset."""
    with tf.Graph().as_default(), tf.Session() as session:
        iterator = tf.data.make_initializable_iterator(examples.with_ids().dataset(shuffle=shuffle, **options))
        following, found = iterator.get_next(), []
        session.run(iterator.initializer)
        while True:
            try:
                example = session.run(following)
            except tf.errors.OutOfRangeError:
                return found
            found.append((int(example["id"]), int(example["example"])))


@pytest.mark.parametrize("kind", SOURCES)
def test_file_shards_have_each_example_once_with_its_id(kind, tmp_path):
    examples = SOURCES[kind](tmp_path)
    whole = read(examples)
    assert [number for _, number in whole] == list(range(17))
    shards = examples.file_shards(4)
    found = [read(shard) for shard in shards]
    assert [each for shard in found for each in shard] == whole
    assert [len(shard) for shard in found] == [shard.count() for shard in shards] == [5, 4, 4, 4]
    assert [[each for each, _ in shard] for shard in found] == [list(shard.ids()) for shard in shards]
    shuffled = read(shards[1], shuffle=2, epochs=2)
    assert sorted(shuffled) == sorted(found[1] * 2)
    # As after an error, in Python.
    source = shards[2].source
    raw = [record.id for index in range(source.number_of_files()) for record in source.read_file(index)]
    assert raw == list(shards[2].ids())


def test_a_file_shard_does_not_read_the_files_of_others(tmp_path):
    examples = tfrecords(tmp_path)
    shards = examples.file_shards(3)
    assert [shard.describe() for shard in shards] == [
        "0.tfrecord, 1.tfrecord", "records 0 to 5 of 2.tfrecord", "records 6 to 10 of 2.tfrecord"
    ]
    os.remove(str(tmp_path / "2.tfrecord"))
    assert sorted(number for _, number in read(shards[0], shuffle=3)) == list(range(6))
    assert sorted(number for _, number in read(shards[0])) == list(range(6))
    with pytest.raises((tf.errors.NotFoundError, lt.errors.InputError)):
        read(shards[1])


def test_more_shards_than_examples_leave_shards_empty(tmp_path):
    shards = fixed_length(tmp_path).file_shards(20)
    assert [len(read(shard)) for shard in shards[15:]] == [1, 1, 0, 0, 0]
    # Endless epochs of nothing end.
    assert read(shards[18], epochs=None) == []


@pytest.mark.parametrize("make, message", [
    (lambda folder: Examples.from_arrays({"x": [1.0]}), "arrays .* can't be sharded by file: only TFRecord"),
    (lambda folder: fixed_length(folder).take(3), "the first 3 of .* can't be sharded by file"),
    (lambda folder: fixed_length(folder).skip_bad_records(1), "that skip bad records can't be sharded by file"),
    (lambda folder: fixed_length(folder).file_shards(2)[0], "a file shard can't be sharded by file again: 0.bin"),
], ids=["arrays", "take", "skip_bad_records", "a shard"])
def test_examples_that_cannot_be_divided_by_files_are_an_error(make, message, tmp_path):
    with pytest.raises(lt.errors.ArgumentError, match=message):
        make(tmp_path).file_shards(2)
    options = dict(per_tower_batch_size=1, route="sharded", shard="files")
    (tmp_path / "again").mkdir()
    with pytest.raises(lt.errors.ArgumentError, match=message):
        lt.inputs.dataset(make(tmp_path / "again"), **options)


@pytest.mark.parametrize("options, message", [
    (dict(shard="file", route="sharded"), 'shard must be "records" or "files", got \'file\''),
    (dict(shard="files"), "shard=\"files\" needs route=\"sharded\": with route='next_per_tower' one reader reads all"),
    (dict(shard="files", route="sharded", order="fixed"), 'shard="files" contradicts order="fixed"'),
])
def test_options_that_contradict_shard_are_an_error(options, message, tmp_path):
    with pytest.raises(lt.errors.ArgumentError, match=message):
        lt.inputs.dataset(fixed_length(tmp_path), per_tower_batch_size=1, **options)


@pytest.mark.parametrize("shards", [3, 20])
@pytest.mark.parametrize("kind", SOURCES)
def test_shards_that_move_have_equally_many_examples_over_all_epochs(kind, shards, tmp_path):
    examples = SOURCES[kind](tmp_path)
    whole = [number for number, _ in read(examples)]
    for epochs in (2, shards):
        moving = examples.file_shards(shards, move=True)
        found = [[number for number, _ in read(each, epochs=epochs)] for each in moving]
        assert collections.Counter(itertools.chain(*found)) == {number: epochs for number in whole}
        sizes = [len(each) for each in found]
        assert sum(sizes) == 17 * epochs and max(sizes) - min(sizes) == (0 if epochs == shards else 1)
    with pytest.raises(lt.errors.ArgumentError, match="can't be sharded by file again"):
        examples.file_shards(shards, move=True)[0].file_shards(2)
