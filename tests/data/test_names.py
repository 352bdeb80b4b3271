"""Ids of examples and their descriptions."""
import os

import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.data import Examples
from legacy_towers.data.files import shared_folder, without_folder
from legacy_towers.data.records import POSITIONS


def write_tfrecords(path, lengths):
    os.makedirs(os.path.dirname(str(path)), exist_ok=True)
    with tf.io.TFRecordWriter(str(path)) as writer:
        for length in lengths:
            writer.write(b"x" * length)
    return str(path)


def test_name_of_ids_of_record_files(tmp_path):
    paths = [write_tfrecords(tmp_path / name, [1, 5, 300]) for name in ("a/1.rec", "b/1.rec", "b/2.rec")]
    examples = Examples.from_tfrecords(paths, lambda record: record)
    offsets = [0, 17, 38]  # a record takes 16 bytes more than its data
    assert list(examples.ids()) == [index * POSITIONS + offset for index in range(3) for offset in offsets]
    assert [examples.name_of(number) for number in list(examples.ids())[2:5]] == [
        "a/1.rec, byte 38", "b/1.rec, byte 0", "b/1.rec, byte 17",
    ]
    assert examples.with_ids().name_of(np.int64(2 * POSITIONS + 17)) == "b/2.rec, byte 17"
    fixed = Examples.from_fixed_length(write_tfrecords(tmp_path / "c", [5]), 7, lambda record: record)
    assert [fixed.name_of(number) for number in fixed.ids()] == ["c, record 0", "c, record 1", "c, record 2"]


def test_name_of_ids_of_arrays_and_generators():
    arrays = Examples.from_arrays(np.zeros(20))
    assert (arrays.name_of(17), list(arrays.with_ids().ids())) == ("row 17", list(range(20)))
    generator = Examples.from_generator(lambda: iter([7.0] * 4), tf.TensorSpec([], tf.float32), count=9)
    assert (generator.name_of(3), list(generator.ids())) == ("example 3", [0, 1, 2, 3])


def test_with_ids_keeps_repr_count_and_sharding():
    arrays = Examples.from_arrays({"x": np.zeros(3)}, shuffle=False, seed=4)
    generator = Examples.from_generator(lambda: iter([7.0]), tf.TensorSpec([], tf.float32), count=1)
    for examples in (arrays, generator):
        assert repr(examples.with_ids()) == repr(examples)
        assert len(examples.with_ids()) == len(examples)
        assert examples.with_ids().source.can_be_sharded == examples.source.can_be_sharded


NAMES = [
    ("one folder", ["/data/a", "/data/b"], ["a", "b"]),
    ("two folders", ["/data/x/a", "/data/y/a"], ["x/a", "y/a"]),
    ("a folder within", ["data/a", "data/y/a"], ["a", "y/a"]),
    ("the root", ["/a", "/y/b"], ["a", "y/b"]),
    ("a folder whose name begins another's", ["/x/ab/1", "/x/a/1"], ["ab/1", "a/1"]),
    ("no shared folder", ["x/a", "y/b"], ["x/a", "y/b"]),
    ("dots", ["./x/a", "./x/b", "x/c"], ["./x/a", "./x/b", "x/c"]),
    ("no folder", ["a", "b"], ["a", "b"]),
    ("with and without", ["a", "/b/a"], ["a", "/b/a"]),
    ("remote", ["gs://bucket/a", "gs://bucket/b"], ["a", "b"]),
    ("remote folders", ["gs://x/a", "gs://y/a"], ["gs://x/a", "gs://y/a"]),
]


@pytest.mark.parametrize("paths, expected", [case[1:] for case in NAMES], ids=[case[0] for case in NAMES])
def test_names_omit_the_common_folder(paths, expected):
    assert [without_folder(path, shared_folder(paths)) for path in paths] == expected


def test_a_file_listed_twice_has_one_index(tmp_path):
    path, other = write_tfrecords(tmp_path / "a", [1]), write_tfrecords(tmp_path / "b", [1])
    examples = Examples.from_tfrecords([path, path, other], lambda record: record, shuffle=False)
    (batch,) = examples.with_ids().numpy_batches(4)
    assert batch["id"].tolist() == list(examples.ids()) == [0, 0, 2 * POSITIONS]
