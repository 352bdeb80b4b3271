"""Files of records, some of them damaged."""
import numpy as np

from legacy_towers.compat import tf

RECORD = 24  # bytes of a record of one int64 in a TFRecord file


def parse_number(record):
    """Fails for a negative number."""
    number = tf.reshape(tf.decode_raw(record, tf.int64), [])
    with tf.control_dependencies([tf.Assert(number >= 0, ["a negative number"])]):
        return {"number": tf.identity(number)}


def write_tfrecords(path, numbers, compression=""):
    with tf.io.TFRecordWriter(str(path), tf.io.TFRecordOptions(compression) if compression else None) as writer:
        for number in numbers:
            writer.write(np.int64(number).tobytes())
    return str(path)


def change_byte(path, offset):
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 0x55]))


def truncate(path, size):
    with open(path, "r+b") as file:
        file.truncate(size)


def three_files(folder):
    """Returns the paths of the numbers 0 to 119 in three files: 50 is -50, 90's length and 100's data are damaged."""
    paths = [str(folder / name) for name in ("a.rec", "b.rec", "c.rec")]
    write_tfrecords(paths[0], range(40))
    write_tfrecords(paths[1], [-50 if number == 50 else number for number in range(40, 80)])
    write_tfrecords(paths[2], range(80, 120))
    change_byte(paths[2], 10 * RECORD)
    change_byte(paths[2], 20 * RECORD + 12)
    return paths


BAD = {50, 90, 100}
