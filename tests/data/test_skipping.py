"""Bad records are skipped and counted, in every kind of source and by every input pipeline; all others keep their ids.
"""
import numpy as np
import pytest
from damaged_files import BAD, RECORD, parse_number, three_files, write_tfrecords

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.data.records import POSITIONS
from legacy_towers.errors import ArgumentError, RecordError

PIPELINES = {
    "queue of 3 readers": lambda examples: lt.inputs.queue(examples, per_tower_batch_size=3, epochs=2, join=3),
    "split": lambda examples: lt.inputs.dataset(examples, per_tower_batch_size=3, epochs=2, route="split"),
    "next_per_tower": lambda examples: lt.inputs.dataset(examples, per_tower_batch_size=3, epochs=2),
    "sharded": lambda examples: lt.inputs.dataset(examples, per_tower_batch_size=3, epochs=2, route="sharded"),
    "per_device": lambda examples: lt.inputs.dataset(examples, per_tower_batch_size=3, epochs=2, route="per_device"),
    "feed": lambda examples: lt.inputs.feed(
        examples, per_tower_batch_size=3, epochs=2, background=True
    ),
    "staged": lambda examples: lt.inputs.staged(lt.inputs.dataset(examples, per_tower_batch_size=3, epochs=2)),
}


@pytest.mark.parametrize("name", sorted(PIPELINES))
def test_every_pipeline_skips_them_in_each_epoch(tmp_path, name):
    examples = lt.Examples.from_tfrecords(three_files(tmp_path), parse_number, seed=3).skip_bad_records(3)
    batches = PIPELINES[name](examples).build(["/cpu:0", "/cpu:1"])
    numbers = []
    with tf.train.MonitoredTrainingSession(
        hooks=batches.hooks, config=lt.session_config(logical_cpus=2)
    ) as session:
        while not session.should_stop():
            for batch in session.run(batches.per_tower):
                numbers.extend(batch["number"].tolist())
    counts = np.bincount(numbers, minlength=120)
    assert set(np.nonzero(counts == 0)[0]) <= BAD and not counts[list(BAD)].any()
    assert counts.sum() == 234 and counts.max() == 2  # 39 steps of 6
    assert examples.skipped.count == 3


def test_they_are_named_and_the_others_keep_their_ids(tmp_path):
    paths = three_files(tmp_path)
    examples = lt.Examples.from_tfrecords(paths, parse_number, shuffle=False).skip_bad_records(3)
    pairs = [
        (int(each), int(number)) for batch in examples.with_ids().numpy_batches(16)
        for each, number in zip(batch["id"], batch["example"]["number"])
    ]
    expected = [(number // 40 * POSITIONS + number % 40 * RECORD, number) for number in range(120) if number not in BAD]
    assert pairs == expected
    assert list(examples.ids()) == [each for each, _ in expected] and len(examples) == 117
    first, second, third = examples.skipped.records
    assert first.place == "{}, record 10 (byte 240)".format(paths[1]) and "a negative number" in first.problem
    assert second.place == "{}, record 10 (byte 240)".format(paths[2]) and second.lost_bytes == RECORD
    assert third.place == "{}, record 20 (byte 480)".format(paths[2]) and "data of this record" in third.problem
    assert first.id == POSITIONS + 240 and examples.skipped.lost_bytes == 48
    assert str(examples.skipped).startswith("skipped 3 bad records (48 bytes lost): {}, record 10".format(paths[1]))


def test_one_more_than_the_limit_is_an_error_that_names_it(tmp_path):
    paths = three_files(tmp_path)
    examples = lt.Examples.from_tfrecords(paths, parse_number, shuffle=False).skip_bad_records(2)
    with pytest.raises(RecordError) as raised:
        list(examples.numpy_batches(16))
    assert "bad record number 3, and at most 2 may be skipped" in str(raised.value)
    assert str(examples.skipped.error) == str(raised.value)


def test_a_compressed_file_is_read_as_far_as_it_can_be(tmp_path):
    path = write_tfrecords(tmp_path / "file", range(3000), "GZIP")
    with open(path, "r+b") as file:
        file.truncate((tmp_path / "file").stat().st_size // 2)
    examples = lt.Examples.from_tfrecords(path, parse_number, shuffle=False, compression="GZIP").skip_bad_records(1)
    numbers = [int(number) for batch in examples.numpy_batches(500) for number in batch["number"]]
    assert numbers == list(range(len(numbers))) and len(numbers) > 100
    assert "GZIP" in examples.skipped.records[0].problem


def test_lines_fixed_length_records_and_whole_files(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n3\n5,6\n7,eight\n9,10\n")
    lines = lt.Examples.from_csv(str(tmp_path / "a.csv"), {"x": 0.0, "y": 0.0}, shuffle=False).skip_bad_records(2)
    assert [row for batch in lines.numpy_batches(8) for row in batch["x"].tolist()] == [1, 5, 9]
    assert [record.id for record in lines.skipped.records] == [3, 5]
    assert lines.skipped.records[0].place.endswith("a.csv, line 3")

    (tmp_path / "fixed").write_bytes(b"head" + np.array([1, -2, 3], np.int64).tobytes())
    fixed = lt.Examples.from_fixed_length(str(tmp_path / "fixed"), 8, parse_number, header_bytes=4, shuffle=False)
    fixed = fixed.skip_bad_records(1)
    assert [row for batch in fixed.numpy_batches(8) for row in batch["number"].tolist()] == [1, 3]
    assert fixed.skipped.records[0].place.endswith("fixed, record 1 (byte 12)")

    with tf.Session() as session:
        jpeg = session.run(tf.io.encode_jpeg(tf.zeros([4, 4, 3], tf.uint8)))
    for number in range(4):
        (tmp_path / "{}.jpg".format(number)).write_bytes(jpeg[:-60] if number == 1 else jpeg)
    images = lt.Examples.from_whole_files(
        str(tmp_path / "*.jpg"), lambda path, content: tf.io.decode_jpeg(content, channels=3), shuffle=False
    ).skip_bad_records(2)
    (tmp_path / "2.jpg").unlink()
    assert sum(len(batch) for batch in images.map(lambda image: tf.cast(image, tf.float32)).numpy_batches(8)) == 2
    assert [record.id for record in images.skipped.records] == [1, 2]
    assert "2.jpg" in images.skipped.records[1].place


def test_a_function_that_is_mapped_later_is_checked_too(tmp_path):
    path = write_tfrecords(tmp_path / "ten", range(10))
    examples = lt.Examples.from_tfrecords(path, parse_number, shuffle=False).skip_bad_records(1)
    inverse = examples.map(lambda example: tf.check_numerics(7.0 / tf.cast(example["number"] - 4, tf.float32), "at 4"))
    assert sum(len(batch) for batch in inverse.numpy_batches(4)) == 9
    assert inverse.skipped.records[0].id == 4 * RECORD


def test_a_missing_file_of_records_is_no_bad_record(tmp_path):
    paths = three_files(tmp_path)
    examples = lt.Examples.from_tfrecords(paths, parse_number, shuffle=False).skip_bad_records(9)
    (tmp_path / "b.rec").unlink()
    with pytest.raises(RecordError, match="{} can't be read".format(paths[1])):
        list(examples.numpy_batches(16))


def test_what_has_no_effect_is_refused(tmp_path):
    numbers = lt.Examples.from_arrays(np.arange(3))
    for limit in (0, True, 1.5):
        with pytest.raises(ArgumentError, match="limit must be a whole number of at least 1"):
            numbers.skip_bad_records(limit)
    with pytest.raises(ArgumentError, match="skip up to 3 bad records already"):
        numbers.skip_bad_records(3).skip_bad_records(4)
    generated = lt.Examples.from_generator(lambda: iter([1]), tf.TensorSpec([], tf.int64))
    with pytest.raises(ArgumentError, match="no single records that could be skipped"):
        generated.skip_bad_records(3)
