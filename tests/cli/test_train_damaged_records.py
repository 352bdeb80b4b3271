"""legacy-towers train on files with damaged records."""
import job_files
import pytest
from commands import command

from legacy_towers.compat import tf

pytestmark = pytest.mark.usefixtures("folder")

DAMAGED = """
    from line import *

    def parse(record):
        values = tf.reshape(tf.decode_raw(record, tf.float32), [4])
        return {"x": values[:3], "y": values[3]}

    @lt.job
    def damaged(bad_test=False):
        good, bad = [lt.Examples.from_tfrecords(name, parse, count=300) for name in ("good.tfrecords", "bad.tfrecords")]
        return line().replace(train=good if bad_test else bad, test=bad)
"""


def _records(count):
    with tf.python_io.TFRecordWriter("records") as writer:
        for _ in range(count):
            writer.write(b"\0" * 16)
    with open("records", "rb") as file:
        return bytearray(file.read())


@pytest.mark.parametrize("words", ["--input feed", "--input queue", "--input dataset", "--bad-test"])
def test_the_error_for_a_damaged_record_names_its_file(folder, capsys, words):
    job_files.write(folder, "damaged.py", DAMAGED)
    data = _records(300)
    (folder / "good.tfrecords").write_bytes(data)
    data[200 * 32 + 14] ^= 255  # 32 bytes per record, with a header of 12 bytes
    (folder / "bad.tfrecords").write_bytes(data)
    assert command("train damaged.py --towers 2 --steps 30 " + words) == 1
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith(
        "legacy-towers: error: bad.tfrecords, record 200 (byte 6,400): the data of this record does not match its "
        "checksum; "
    )


def test_bad_records_are_skipped_and_counted(folder, capsys):
    job_files.write(folder, "damaged.py", DAMAGED.replace("test=bad", "test=good"))
    data = _records(300)
    data[200 * 32 + 14] ^= 255
    (folder / "good.tfrecords").write_bytes(_records(300))
    (folder / "bad.tfrecords").write_bytes(data)
    assert command("train damaged.py --towers 2 --steps 30 --input feed --log-every 30 --skip-bad-records 1") == 0
    printed = capsys.readouterr()
    assert "skipped 1 bad record (32 bytes lost): bad.tfrecords, record 200 (byte 6,400): the data" in printed.out
    assert [line for line in printed.err.splitlines() if line.startswith("step 30/30") and line.endswith("1 skipped")]
    assert command("train damaged.py --skip-bad-records 0") == 2
    assert "--skip-bad-records is 0: at least 1 is needed" in capsys.readouterr().err
