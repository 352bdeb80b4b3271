"""Files that queue inputs read, and runs that read such an input to its end."""
import collections
import os

import numpy as np

from legacy_towers.compat import tf


def write_files(directory):
    """Writes 3 TFRecord, CSV and fixed-length files and 6 small ones; returns {kind: paths}."""
    found = collections.defaultdict(list)

    def path(kind, number):
        found[kind].append(os.path.join(directory, "{}.{}".format(number, kind)))
        return found[kind][-1]

    for number in range(3):
        ids = range(100 * number, 100 * number + 5 + number)
        with tf.io.TFRecordWriter(path("tfrecord", number)) as writer:
            for each in ids:
                writer.write(_example(each).SerializeToString())
        with open(path("csv", number), "w") as lines:
            lines.write("id,x\n" + "".join("{},{}\n".format(each, each / 4) for each in ids))
        np.arange(number * 80, number * 80 + 34, dtype=np.uint8).tofile(path("bin", number))
    for number in range(6):
        np.full([4], number, np.uint8).tofile(path("image", number))
    return dict(found)


def _example(number):
    features = {
        "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
        "x": tf.train.Feature(float_list=tf.train.FloatList(value=[number, number / 4])),
        "words": tf.train.Feature(int64_list=tf.train.Int64List(value=range(number % 4 + 1))),
    }
    return tf.train.Example(features=tf.train.Features(feature=features))


def producer(paths, **options):
    return tf.train.string_input_producer(paths, **dict(dict(num_epochs=2, shuffle=False), **options))


def record(paths, **options):
    """Returns the (key, serialized tf.train.Example) that a reader reads from TFRecord files."""
    return tf.TFRecordReader().read(producer(paths, **options))


def parsed(serialized):
    features = {"id": tf.io.FixedLenFeature([], tf.int64), "x": tf.io.FixedLenFeature([2], tf.float32)}
    example = tf.io.parse_single_example(serialized, features)
    return [example["id"], example["x"]]


def words(serialized):
    features = {"words": tf.io.VarLenFeature(tf.int64)}
    return tf.io.parse_single_example(serialized, features)["words"]


def run_to_end(fetches, most=200):
    """Returns the values of `fetches` in all steps until the input ends, each a list of arrays."""
    steps = []
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            while len(steps) < most:
                steps.append([np.asarray(each).tolist() for each in tf.nest.flatten(session.run(fetches))])
        except tf.errors.OutOfRangeError:
            coordinator.request_stop()
        finally:
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=60)
    return steps


def examples(steps):
    """Returns how often each example is in batches."""
    return collections.Counter(repr(example) for step in steps for example in zip(*step))
