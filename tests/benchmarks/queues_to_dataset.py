"""Examples/s and CPU time of queue pipelines, as they are and converted to tf.data.

    python tests/benchmarks/queues_to_dataset.py [--rounds 7] [--only tfrecord ...]

Both versions of a pipeline take turns in one process, in rounds, each turn in a new session that warms up first. What
is read is fetched, and checked after each turn: each example has the values of its id. A ratio is tf.data over the
queue, the median over rounds with its 95 % interval; the bar is 0.95 for examples/s.
"""
import argparse
import os
import tempfile
import time

import numpy as np

from legacy_towers.compat import tf
from legacy_towers.graph import meta_graphs
from legacy_towers.measure.rounds import order_of_rounds
from legacy_towers.measure.statistics import ratio_interval
from legacy_towers.migrate.proof.recording import reading
from legacy_towers.migrate.proof.sides import dataset_side, queue_side, shapes_of
from legacy_towers.text.tables import format_table

BAR = 0.95
WARM_UP, TURN = 0.4, 1.0  # seconds
RECORDS, FILES, IMAGES, FLOATS = 2000, 4, 60, 16


def write(folder):
    """Writes the files that the pipelines read; returns kind -> paths."""
    found = {}
    for kind in ("tfrecord", "csv", "bin", "png"):
        found[kind] = [
            os.path.join(folder, "{}.{}".format(number, kind)) for number in range(IMAGES if kind == "png" else FILES)
        ]
    for shard in range(FILES):
        ids = np.arange(shard * RECORDS, (shard + 1) * RECORDS)
        with tf.io.TFRecordWriter(found["tfrecord"][shard]) as writer:
            for each in ids:
                features = {
                    "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[each])),
                    "x": tf.train.Feature(float_list=tf.train.FloatList(value=[each / 4.0] * FLOATS)),
                    "words": tf.train.Feature(int64_list=tf.train.Int64List(value=[each] * (each % 9 + 1))),
                }
                writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())
        with open(found["csv"][shard], "w") as lines:
            lines.writelines("{},{}\n".format(each, ",".join([str(each / 4.0)] * FLOATS)) for each in ids)
        np.repeat(ids.astype(np.int32)[:, None], 1 + 3 * 32, axis=1).tofile(found["bin"][shard])
    with tf.Graph().as_default(), tf.Session() as session:
        image = tf.placeholder(tf.uint8, [64, 64, 3])
        png = tf.image.encode_png(image)
        for number, path in enumerate(found["png"]):
            with open(path, "wb") as file:
                file.write(session.run(png, {image: np.full([64, 64, 3], number, np.uint8)}))
    return found


def _record(files):
    return tf.TFRecordReader().read(tf.train.string_input_producer(files["tfrecord"]))[1]


def _parsed(serialized):
    features = {"id": tf.io.FixedLenFeature([], tf.int64), "x": tf.io.FixedLenFeature([FLOATS], tf.float32)}
    example = tf.io.parse_single_example(serialized, features)
    return [example["id"], example["x"]]


def _words(serialized):
    features = {"id": tf.io.FixedLenFeature([], tf.int64), "words": tf.io.VarLenFeature(tf.int64)}
    example = tf.io.parse_single_example(serialized, features)
    return [example["id"], tf.sparse.to_dense(example["words"])]


def tfrecord(files):
    return tf.train.batch(_parsed(_record(files)), 32, capacity=256)


def tfrecord_threads(files):
    return tf.train.batch(_parsed(_record(files)), 32, num_threads=4, capacity=256)


def shuffle_batch(files):
    return tf.train.shuffle_batch(_parsed(_record(files)), 32, 2000, 1000, num_threads=2)


def shuffle_batch_join(files):
    names = tf.train.string_input_producer(files["tfrecord"])
    both = [_parsed(tf.TFRecordReader().read(names)[1]) for _ in range(2)]
    return tf.train.shuffle_batch_join(both, 32, 2000, 1000)


def csv(files):
    line = tf.TextLineReader().read(tf.train.string_input_producer(files["csv"]))[1]
    number, *columns = tf.io.decode_csv(line, [[0]] + [[0.0]] * FLOATS)
    return tf.train.batch([number, tf.stack(columns)], 32, capacity=256)


def fixed_length(files):
    record = tf.FixedLengthRecordReader(4 * (1 + 3 * 32)).read(tf.train.string_input_producer(files["bin"]))[1]
    values = tf.io.decode_raw(record, tf.int32)
    return tf.train.batch([values[0], tf.reshape(tf.cast(values[1:], tf.float32) / 4.0, [96])], 32, capacity=256)


def whole_files(files):
    name, content = tf.WholeFileReader().read(tf.train.string_input_producer(files["png"]))
    image = tf.image.resize(tf.image.decode_png(content, 3), [32, 32])
    return tf.train.batch([tf.reshape(image, [32, 32, 3])[0, 0, 0], tf.reshape(image, [32, 32, 3]) / 4.0], 16)


def slices(files):
    name, label = tf.train.slice_input_producer([files["png"], np.arange(IMAGES)])
    image = tf.image.decode_png(tf.io.read_file(name), 3)
    image.set_shape([64, 64, 3])
    return tf.train.batch([label, tf.cast(image, tf.float32) / 4.0], 16, num_threads=2)


def read_up_to(files):
    records = tf.TFRecordReader().read_up_to(tf.train.string_input_producer(files["tfrecord"]), 64)[1]
    features = {"id": tf.io.FixedLenFeature([], tf.int64), "x": tf.io.FixedLenFeature([FLOATS], tf.float32)}
    examples = tf.io.parse_example(records, features)
    return tf.train.batch([examples["id"], examples["x"]], 32, enqueue_many=True, capacity=512)


def dynamic_pad(files):
    return tf.train.batch(_words(_record(files)), 32, dynamic_pad=True, capacity=256)


def bucket(files):
    number, words = _words(_record(files))
    lengths = tf.contrib.training.bucket_by_sequence_length(
        tf.size(words), [number, words], 16, [4, 7], dynamic_pad=True, capacity=128
    )
    return lengths[1]


def numbers(files):
    number = tf.train.range_input_producer(1000, shuffle=False).dequeue()
    return tf.train.batch([number, tf.cast(number, tf.float32)[None] / 4.0], 32, capacity=256)


def read_up_to_shuffled(files):
    records = tf.TFRecordReader().read_up_to(tf.train.string_input_producer(files["tfrecord"]), 64)[1]
    features = {"id": tf.io.FixedLenFeature([], tf.int64), "x": tf.io.FixedLenFeature([FLOATS], tf.float32)}
    examples = tf.io.parse_example(records, features)
    return tf.train.shuffle_batch([examples["id"], examples["x"]], 32, 2000, 1000, num_threads=2, enqueue_many=True)


def batch_join(files):
    names = tf.train.string_input_producer(files["tfrecord"])
    readers = [_parsed(tf.TFRecordReader().read(names)[1]) for _ in range(4)]
    return tf.train.batch_join(readers, 32, capacity=256)


def augmented(files):
    name, label = tf.train.slice_input_producer([files["png"], np.arange(IMAGES)])
    image = tf.image.decode_png(tf.io.read_file(name), 3)
    image = tf.image.random_flip_left_right(tf.random_crop(image, [48, 48, 3]))
    return tf.train.shuffle_batch([label, tf.cast(image, tf.float32) / 4.0], 16, 200, 100, num_threads=4)


def arrays(files):
    ids = np.arange(1000)
    number, values = tf.train.slice_input_producer([ids, np.repeat(ids[:, None] / 4.0, FLOATS, 1)])
    return tf.train.shuffle_batch([number, values], 32, 500, 200)


def prefetch_queue(files):
    return tf.contrib.slim.prefetch_queue.prefetch_queue(tfrecord_threads(files), capacity=4).dequeue()


def two_towers(files):
    queue = tf.contrib.slim.prefetch_queue.prefetch_queue(tfrecord_threads(files), capacity=4)
    queue.dequeue()
    return queue.dequeue()


def own_queue(files):
    queue = tf.RandomShuffleQueue(1000, 200, [tf.int64, tf.float32], [[], [FLOATS]])
    enqueue = queue.enqueue(_parsed(_record(files)))
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue] * 4))
    return queue.dequeue_many(32)


PIPELINES = [
    tfrecord, tfrecord_threads, shuffle_batch, shuffle_batch_join, csv, fixed_length, whole_files, slices, read_up_to,
    read_up_to_shuffled, batch_join, augmented, arrays, prefetch_queue, two_towers, own_queue, dynamic_pad, bucket,
    numbers,
]


def check(name, batches):
    """Raises an error unless each example that was read has the values of its id."""
    for ids, values in batches:
        for each, row in zip(ids, values):
            factor = 1.0 if name in ("dynamic_pad", "bucket") else 0.25
            expected = np.where(row == 0, row, each * factor) if factor == 1.0 else np.full_like(row, each * factor)
            if not np.array_equal(row, expected):
                raise AssertionError("{}: example {} has {}".format(name, each, row))


def turn(name, side):
    """Returns (examples/s, CPU seconds per example) of one turn."""
    batches = []
    with reading(side, None) as read:
        started = time.perf_counter()
        while time.perf_counter() - started < WARM_UP or not batches:
            batches = [read()[-2:]]
        batches, started, cpu = [], time.perf_counter(), time.process_time()
        while time.perf_counter() - started < TURN:
            batches.append(read()[-2:])  # buckets give their number and lengths before
        wall, used = time.perf_counter() - started, time.process_time() - cpu
    check(name, batches)
    examples = sum(len(ids) for ids, _ in batches)
    return examples / wall, used / examples


def compare(build, files, rounds):
    """Returns a row of the table."""
    with tf.Graph().as_default() as graph:
        build(files)
    meta = meta_graphs.meta_graph_of(graph)
    graphs = [meta_graphs.imported(meta) for _ in range(2)]
    shape = shapes_of(graphs[0])[-1]
    dataset, plan = dataset_side(graphs[1], shape, None)
    sides = {"queue": queue_side(graphs[0], shape, None), "tf.data": dataset}
    found = {name: [] for name in sides}
    for order in order_of_rounds(list(sides), rounds):
        for name in order:
            found[name].append(turn(build.__name__, sides[name]))
    rates, cpu = ({name: [each[index] for each in found[name]] for name in sides} for index in (0, 1))
    speed, used = (ratio_interval(each["tf.data"], each["queue"]) for each in (rates, cpu))
    shown = "{:.2f} ({:.2f} to {:.2f})"
    return [
        build.__name__, plan.promise, "{:.0f}".format(np.median(rates["queue"])),
        "{:.0f}".format(np.median(rates["tf.data"])), shown.format(*speed), shown.format(*used),
        "" if speed.median >= BAR else "below {}".format(BAR),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", nargs="*", default=[each.__name__ for each in PIPELINES])
    options = parser.parse_args()
    tf.logging.set_verbosity(tf.logging.ERROR)
    print("TensorFlow {}".format(tf.__version__))
    with tempfile.TemporaryDirectory() as folder:
        files = write(folder)
        rows = []
        for build in PIPELINES:
            if build.__name__ in options.only:
                rows.append(compare(build, files, options.rounds))
                print(*rows[-1], flush=True)
    header = ["pipeline", "promise", "queue/s", "tf.data/s", "examples/s ratio", "CPU ratio", ""]
    print(format_table(header, rows, "llrrrrl"))


if __name__ == "__main__":
    main()
