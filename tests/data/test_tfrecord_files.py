"""TFRecord files: records and damaged parts, compressed or not, and what TensorFlow's readers do not report."""
import pytest
from damaged_files import RECORD, change_byte, truncate, write_tfrecords

from legacy_towers.compat import tf
from legacy_towers.data import Examples
from legacy_towers.data.tfrecord_files import Part, masked_crc, read_parts, tfrecord_offsets
from legacy_towers.errors import ArgumentError, InputError


def records(parts):
    return [part.offset // RECORD for part in parts if part.record is not None]


def bad(parts):
    return [(part.offset, part.problem, part.lost_bytes) for part in parts if part.record is None]


@pytest.mark.parametrize("damage, lost, expected", [
    (lambda path: change_byte(path, 3 * RECORD + 13), [3], (72, "the data of this record does not match", 24)),
    (lambda path: change_byte(path, 3 * RECORD + 22), [3], (72, "the data of this record does not match", 24)),
    (lambda path: change_byte(path, 3 * RECORD), [3], (72, "the length of this record does not match", 24)),
    (lambda path: change_byte(path, 3 * RECORD + 9), [3], (72, "the length of this record does not match", 24)),
    (lambda path: truncate(path, 9 * RECORD + 5), [9], (216, "the file ends inside the header of this record", 5)),
    (lambda path: truncate(path, 9 * RECORD + 12), [9], (216, "the file ends at byte 228, inside this record", 12)),
    (lambda path: truncate(path, 9 * RECORD + 23), [9], (216, "the file ends at byte 239, inside this record", 23)),
    (lambda path: [change_byte(path, 9 * RECORD), change_byte(path, 8 * RECORD)], [8, 9], (192, "the length", 48)),
    (lambda path: truncate(path, 0), list(range(10)), None),
], ids=[
    "data", "checksum of data", "length", "checksum of length", "in header", "in data", "in footer", "two", "empty",
])
def test_records_after_a_damaged_one_are_found(tmp_path, damage, lost, expected):
    path = write_tfrecords(tmp_path / "ten", range(10))
    damage(path)
    parts = list(read_parts(path))
    assert records(parts) == [number for number in range(10) if number not in lost]
    found = bad(parts)
    if expected is None:
        assert found == []
    else:
        assert [(found[0][0], found[0][2])] == [(expected[0], expected[2])] and len(found) == 1
        assert found[0][1].startswith(expected[1])


def test_the_next_record_is_found_across_windows_and_zeros(tmp_path):
    path = str(tmp_path / "large")
    with tf.io.TFRecordWriter(path) as writer:
        for data in [b"a", b"\0" * 1500000, b"b" * 700000, b"c"]:
            writer.write(data)
    change_byte(path, 17)
    parts = list(read_parts(path))
    assert [len(part.record or b"") for part in parts] == [1, 0, 700000, 1]
    assert parts[1] == Part(17, None, "the length of this record does not match its checksum", 1500016)


@pytest.mark.parametrize("compression", ["GZIP", "ZLIB"])
def test_a_truncated_compressed_file(tmp_path, compression):
    path = write_tfrecords(tmp_path / "file", range(3000), compression)
    assert len(list(tfrecord_offsets(path, compression))) == 3000
    examples = Examples.from_tfrecords(path, tf.strings.length, shuffle=False, compression=compression)
    assert sum(len(batch) for batch in examples.numpy_batches(500)) == len(examples) == 3000
    truncate(path, (tmp_path / "file").stat().st_size // 2)
    parts = list(read_parts(path, compression))
    assert records(parts) == list(range(len(parts) - 1)) and len(parts) > 100
    assert bad(parts)[0][0] == (len(parts) - 1) * RECORD and "truncated" in bad(parts)[0][1]
    examples = Examples.from_tfrecords(path, tf.strings.length, compression=compression, count=3000)
    with pytest.raises(InputError, match="{}.*record {} at byte {:,}".format(path, len(parts) - 1, bad(parts)[0][0])):
        examples.dataset()


def test_a_file_that_ends_inside_a_header_is_an_error_and_none_for_tensorflow(tmp_path):
    path = write_tfrecords(tmp_path / "cut", range(10))
    truncate(path, 9 * RECORD + 7)
    dataset = tf.data.TFRecordDataset(path)
    with tf.Session() as session:
        iterator = tf.data.make_initializable_iterator(dataset.batch(20))
        batch = iterator.get_next()
        session.run(iterator.initializer)
        assert len(session.run(batch)) == 9  # TensorFlow's silent loss, on 1.15 and 2.21
        # and what ignore_errors does with a damaged record: the rest of the file is gone
        change_byte(path, 4 * RECORD + 13)
        iterator = tf.data.make_initializable_iterator(
            dataset.apply(tf.data.experimental.ignore_errors()).batch(20)
        )
        batch = iterator.get_next()
        session.run(iterator.initializer)
        assert len(session.run(batch)) == 4
    examples = Examples.from_tfrecords(path, tf.strings.length, count=10)
    for read in (examples.dataset, lambda: examples.source.queue_readers(1, False, None, 1)):
        with pytest.raises(InputError, match="{}.*record 9 at byte 216".format(path)):
            read()


def test_checksums_are_those_of_tensorflow(tmp_path):
    path = write_tfrecords(tmp_path / "one", [7])
    with open(path, "rb") as file:
        content = file.read()
    assert masked_crc(content[:8]) == content[8:12] and masked_crc(content[12:20]) == content[20:]


def test_an_unknown_compression_is_refused(tmp_path):
    with pytest.raises(ArgumentError, match='compression must be "", "GZIP" or "ZLIB", got \'gzip\''):
        Examples.from_tfrecords(write_tfrecords(tmp_path / "a", [1]), tf.strings.length, compression="gzip")
