"""`Examples`: what each source contains, how it is counted, shuffled and sharded, and its errors."""
import os

import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.data import Examples
from legacy_towers.errors import ArgumentError, InputError


def parse(record):
    return {"number": tf.reshape(tf.decode_raw(record, tf.int64), [])}


def write_tfrecords(path, numbers):
    with tf.io.TFRecordWriter(str(path)) as writer:
        for number in numbers:
            writer.write(np.int64(number).tobytes())
    return str(path)


def numbers_of(batches, name="number"):
    return [number for batch in batches for number in batch[name].tolist()]


def test_files_by_path_pattern_and_list(tmp_path):
    paths = [write_tfrecords(tmp_path / name, [index]) for index, name in enumerate(["b.rec", "a.rec", "c.rec"])]
    for files, expected in [(paths[0], [0]), (paths, [0, 1, 2]), (str(tmp_path / "*.rec"), [1, 0, 2])]:
        examples = Examples.from_tfrecords(files, parse, shuffle=False)
        assert numbers_of(examples.numpy_batches(2)) == expected
        assert len(examples) == len(expected)
    assert Examples.from_tfrecords(tmp_path / "a.rec", parse).count() == 1


def test_errors_name_missing_files(tmp_path):
    there = write_tfrecords(tmp_path / "there", [1])
    with pytest.raises(InputError) as raised:
        Examples.from_tfrecords([there, str(tmp_path / "lost"), str(tmp_path / "*.rec")], parse)
    assert "there is no file {0}/lost, {0}/*.rec".format(tmp_path) in str(raised.value)
    with pytest.raises(InputError, match="there is no file lost/[*].rec in the working directory"):
        Examples.from_tfrecords("lost/*.rec", None)
    with pytest.raises(InputError) as raised:
        Examples.from_tfrecords("lost.rec", parse)
    assert str(raised.value) == "there is no file lost.rec in the working directory {}".format(os.getcwd())
    with pytest.raises(InputError, match="the list of files is empty"):
        Examples.from_tfrecords([], parse)
    with pytest.raises(InputError, match="is a directory: give the files in it"):
        Examples.from_tfrecords(str(tmp_path), parse)
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(InputError, match="all files are empty: .*empty"):
        Examples.from_tfrecords(str(tmp_path / "empty"), parse)


def test_count_agrees_with_the_records_read(tmp_path):
    with tf.io.TFRecordWriter(str(tmp_path / "many")) as writer:
        for length in range(300):
            writer.write(b"x" * (length * 7))
    examples = Examples.from_tfrecords(str(tmp_path / "many"), lambda record: tf.strings.length(record), shuffle=False)
    assert examples.known_count() is None
    assert len(examples) == sum(len(batch) for batch in examples.numpy_batches(64)) == 300
    assert Examples.from_tfrecords(str(tmp_path / "many"), parse, count=12).count() == 12


DAMAGED_FILES = [
    ("cut in the data", lambda data: data[:-5], "is truncated: record 2 ends at byte 72, the file at byte 67"),
    ("cut in a header", lambda data: data[:50], "the header of record 2 at byte 48 is invalid"),
    ("a flipped length", lambda data: data[:24] + b"\x09" + data[25:], "the header of record 1 at byte 24 is invalid"),
    ("another format", lambda data: b"\x1f\x8b\x08\x00" + data[4:], "is damaged, or not an uncompressed TFRecord file"),
]


@pytest.mark.parametrize(
    "damage, message", [case[1:] for case in DAMAGED_FILES], ids=[case[0] for case in DAMAGED_FILES]
)
def test_errors_name_the_damaged_file_and_record(damage, message, tmp_path):
    path = write_tfrecords(tmp_path / "hurt", [1, 2, 3])
    data = (tmp_path / "hurt").read_bytes()
    (tmp_path / "hurt").write_bytes(damage(data))
    with pytest.raises(InputError) as raised:
        len(Examples.from_tfrecords(path, parse))
    assert path in str(raised.value) and message in str(raised.value)


def test_fixed_length_records_with_header_and_footer(tmp_path):
    for name, first in (("a", 0), ("b", 5)):
        (tmp_path / name).write_bytes(b"HEAD" + np.arange(first, first + 5).astype(np.int64).tobytes() + b"END")
    examples = Examples.from_fixed_length(str(tmp_path / "*"), 8, parse, header_bytes=4, footer_bytes=3, shuffle=False)
    assert examples.known_count() == len(examples) == 10
    assert numbers_of(examples.numpy_batches(3)) == list(range(10))
    with pytest.raises(InputError, match="a has 47 bytes, which is not a multiple of the record size, 8 bytes"):
        Examples.from_fixed_length(str(tmp_path / "a"), 8, parse)
    with pytest.raises(ArgumentError, match="record_bytes must be at least 1"):
        Examples.from_fixed_length(str(tmp_path / "a"), 0, parse)


def test_invalid_arrays():
    with pytest.raises(InputError, match="different numbers of examples: 'x' has 3, 'y' has 4"):
        Examples.from_arrays({"x": np.zeros(3), "y": np.zeros([4, 2])})
    with pytest.raises(InputError, match="array 'x' is a single value"):
        Examples.from_arrays({"x": 3})
    with pytest.raises(InputError, match="hold no examples"):
        Examples.from_arrays(np.zeros([0, 2]))
    with pytest.raises(InputError, match="no array is given"):
        Examples.from_arrays({})


def test_arrays_of_strings_become_bytes():
    examples = Examples.from_arrays({"text": ["a", "bc"], "x": np.float32([1, 2])}, shuffle=False)
    (direct,) = examples.numpy_batches(2)
    (mapped,) = examples.map(lambda example: example).numpy_batches(2)
    assert direct["text"].tolist() == mapped["text"].tolist() == [b"a", b"bc"]
    assert examples.spec() == {"text": tf.TensorSpec([], tf.string), "x": tf.TensorSpec([], tf.float32)}


@pytest.mark.parametrize("dtype", [">f4", ">i4", ">u2", "<f8"])
def test_from_arrays_accepts_any_byte_order(dtype):
    rows = np.arange(8).reshape(4, 2)
    examples = Examples.from_arrays(rows.astype(dtype), shuffle=False)
    iterator = tf.data.make_initializable_iterator(examples.dataset().batch(4))
    batch = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        np.testing.assert_array_equal(session.run(batch), rows)
    np.testing.assert_array_equal(next(examples.numpy_batches(4)), rows)


def test_from_generator_makes_a_new_iterator_for_each_epoch():
    spec = {"number": tf.TensorSpec([], tf.int32)}
    examples = Examples.from_generator(lambda: ({"number": n} for n in range(5)), spec, shuffle=False)
    assert numbers_of(examples.numpy_batches(4, epochs=2)) == [0, 1, 2, 3, 4] * 2
    with pytest.raises(InputError, match="the number of examples of .* is unknown: pass count="):
        len(examples)
    assert len(Examples.from_generator(lambda: iter([]), spec, count=7)) == 7
    with pytest.raises(InputError, match="must be a function that returns a new iterator"):
        Examples.from_generator(iter([1]), spec)


@pytest.mark.parametrize("kind", ["arrays", "mapped", "files"])
def test_numpy_batches_span_epochs_and_respect_drop_remainder(kind, tmp_path):
    if kind == "files":
        examples = Examples.from_tfrecords(write_tfrecords(tmp_path / "x", range(10)), parse, shuffle=False)
    else:
        examples = Examples.from_arrays({"number": np.arange(10)}, shuffle=False)
        examples = examples.map(lambda example: example) if kind == "mapped" else examples
    sizes = [len(batch["number"]) for batch in examples.numpy_batches(8, epochs=2)]
    assert sizes == [8, 8, 4]
    assert [len(batch["number"]) for batch in examples.numpy_batches(8, epochs=2, drop_remainder=True)] == [8, 8]
    assert numbers_of(examples.numpy_batches(8, epochs=2)) == list(range(10)) * 2


@pytest.mark.parametrize("kind", ["arrays", "files"])
def test_shuffling_depends_on_the_seed_and_differs_between_epochs(kind, tmp_path):
    path = write_tfrecords(tmp_path / "x", range(50))

    def order(seed, shuffle=None):
        if kind == "files":
            examples = Examples.from_tfrecords(path, parse, seed=seed)
        else:
            examples = Examples.from_arrays({"number": np.arange(50)}, seed=seed)
        return numbers_of(examples.numpy_batches(50, epochs=2, shuffle=shuffle))

    first = order(1)
    assert sorted(first[:50]) == sorted(first[50:]) == list(range(50))
    assert first[:50] != first[50:] != list(range(50))
    assert order(1) == first and order(2) != first
    assert order(1, shuffle=False) == list(range(50)) * 2


def test_dataset_is_sharded_before_shuffling(tmp_path):
    examples = Examples.from_tfrecords(write_tfrecords(tmp_path / "x", range(10)), parse)
    seen = []
    for index in range(3):
        iterator = tf.data.make_initializable_iterator(examples.dataset(shard=(3, index)).batch(10))
        batch = iterator.get_next()
        with tf.Session() as session:
            session.run(iterator.initializer)
            seen.append(sorted(session.run(batch)["number"].tolist()))
    assert seen == [[0, 3, 6, 9], [1, 4, 7], [2, 5, 8]]


def test_numpy_batches_leave_no_default_graph_or_session():
    examples = Examples.from_arrays({"number": np.arange(10)}).map(lambda example: example)
    graph = tf.get_default_graph()
    batches = examples.numpy_batches(2)
    next(batches)
    assert tf.get_default_graph() is graph and tf.get_default_session() is None
    batches.close()
    assert not graph.get_operations()


def test_map_returns_new_examples():
    examples = Examples.from_arrays({"number": np.arange(3)}, shuffle=False)
    doubled = examples.map(lambda example: {"number": example["number"] * 2})
    assert numbers_of(examples.numpy_batches(3)) == [0, 1, 2]
    assert numbers_of(doubled.numpy_batches(3)) == [0, 2, 4]
    assert repr(examples) == "Examples(arrays (number), shuffle=False, seed=None)"
    with pytest.raises(ArgumentError, match="shuffle must be True, False or a number of examples, got 0"):
        Examples.from_arrays(np.zeros(3), shuffle=0)


def test_with_seed_changes_the_order_only():
    from legacy_towers.data import Examples

    rows = {"id": np.arange(20)}
    order = [batch["id"].tolist() for batch in Examples.from_arrays(rows, seed=3).numpy_batches(20, epochs=2)]
    other = Examples.from_arrays(rows, seed=1)
    assert [batch["id"].tolist() for batch in other.with_seed(3).numpy_batches(20, epochs=2)] == order
    assert other.with_seed(None).seed is None and other.seed == 1
