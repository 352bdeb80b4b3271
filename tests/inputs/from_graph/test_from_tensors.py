"""Input code of TF1 jobs, line by line, in a step of 4 towers: each example once, and the original errors.

Each idiom makes 64 examples whose number is their first component; with `poison` one step of the preprocessing fails at
example 37.
"""
import threading

import numpy as np
import pytest
import waiting
from diagonals import diagonals

import legacy_towers as lt
from legacy_towers.compat import tf

COUNT = 64
TOWERS = 4


@pytest.fixture(autouse=True)
def no_thread_is_left():
    before = set(threading.enumerate())
    yield
    left = waiting.threads_since(before)
    assert not left, left


def checked(number, poison):
    """The preprocessing that fails: an op between a reader and a queue."""
    if not poison:
        return number
    with tf.control_dependencies([tf.Assert(tf.reduce_all(tf.not_equal(number, 37)), ["example 37 is damaged"])]):
        return tf.identity(number)


def text_files(folder, files=3):
    paths = []
    for index, numbers in enumerate(np.array_split(np.arange(COUNT), files)):
        paths.append(str(folder / "{}.csv".format(index)))
        with open(paths[-1], "w") as file:
            file.writelines("{},{}\n".format(number, number / 4) for number in numbers)
    return paths


def records_file(folder):
    path = str(folder / "numbers.tfrecord")
    with tf.python_io.TFRecordWriter(path) as writer:
        for number in range(COUNT):
            writer.write(np.int64(number).tobytes())
    return path


def read_csv(queue, poison):
    _, line = tf.TextLineReader().read(queue)
    number, value = tf.decode_csv(line, [[0], [0.0]])
    return [checked(number, poison), value]


def text_lines(folder, poison):
    queue = tf.train.string_input_producer(text_files(folder), num_epochs=1, shuffle=False)
    return lt.inputs.from_tensors(global_batch=tf.train.batch(read_csv(queue, poison), 16, num_threads=2))


def whole_files(folder, poison):
    with tf.Graph().as_default(), tf.Session() as session:
        pixels = tf.placeholder(tf.uint8, [2, 2, 1])
        png = tf.image.encode_png(pixels)
        for number in range(COUNT):
            (folder / "{:02d}.png".format(number)).write_bytes(
                session.run(png, {pixels: np.full([2, 2, 1], number, np.uint8)})
            )
    names = tf.train.match_filenames_once(str(folder / "*.png"))
    queue = tf.train.string_input_producer(names, num_epochs=1)
    _, content = tf.WholeFileReader().read(queue)
    image = tf.image.decode_png(content, channels=1)
    image.set_shape([2, 2, 1])
    number = checked(tf.cast(image[0, 0, 0], tf.int32), poison)
    return lt.inputs.from_tensors(
        global_batch=tf.train.shuffle_batch([number, image], 16, capacity=60, min_after_dequeue=20, num_threads=2)
    )


def slices(folder, poison):
    number, value = tf.train.slice_input_producer(
        [tf.range(COUNT), tf.range(COUNT) * 2], num_epochs=1, shuffle=True, seed=4
    )
    return lt.inputs.from_tensors(global_batch=tf.train.batch([checked(number, poison), value], 16))


def ranges(folder, poison):
    index = tf.train.range_input_producer(COUNT, num_epochs=1, shuffle=False).dequeue()
    value = tf.gather(np.arange(COUNT) * 2.0, checked(index, poison))
    return lt.inputs.from_tensors(global_batch=tf.train.batch({"id": index, "value": value}, 16))


def fixed_length(folder, poison):
    np.stack([np.arange(COUNT), np.arange(COUNT) * 3], axis=1).astype(np.uint8).tofile(str(folder / "data.bin"))
    queue = tf.train.string_input_producer([str(folder / "data.bin")], num_epochs=1)
    _, record = tf.FixedLengthRecordReader(2).read(queue)
    row = tf.cast(tf.reshape(tf.decode_raw(record, tf.uint8), [2]), tf.int32)
    return lt.inputs.from_tensors(global_batch=tf.train.batch([checked(row[0], poison), row[1]], 16, num_threads=3))


def read_up_to(folder, poison):
    queue = tf.train.string_input_producer([records_file(folder)], num_epochs=1)
    _, records = tf.TFRecordReader().read_up_to(queue, 10)
    numbers = checked(tf.reshape(tf.decode_raw(records, tf.int64), [-1]), poison)
    return lt.inputs.from_tensors(global_batch=tf.train.batch([numbers], 16, enqueue_many=True))


def batch_join(folder, poison):
    queue = tf.train.string_input_producer(text_files(folder), num_epochs=1)
    return lt.inputs.from_tensors(
        global_batch=tf.train.batch_join([read_csv(queue, poison) for _ in range(3)], 16)
    )


def shuffle_batch_join(folder, poison):
    queue = tf.train.string_input_producer(text_files(folder), num_epochs=1)
    return lt.inputs.from_tensors(
        global_batch=tf.train.shuffle_batch_join(
            [read_csv(queue, poison) for _ in range(3)], 16, capacity=60, min_after_dequeue=20
        )
    )


def dynamic_pad(folder, poison):
    queue = tf.train.string_input_producer(text_files(folder), num_epochs=1)
    number, _ = read_csv(queue, poison)
    words = tf.fill([number % 5 + 1], number)
    return lt.inputs.from_tensors(global_batch=tf.train.batch([number, words], 16, dynamic_pad=True))


def smaller_final_batch(folder, poison):
    queue = tf.train.string_input_producer(text_files(folder), num_epochs=1)
    batch = tf.train.batch(read_csv(queue, poison), 20, allow_smaller_final_batch=True)
    return lt.inputs.from_tensors(global_batch=batch, global_batch_size=20, remainder="short")


def a_batch_per_tower(folder, poison):
    number, value = tf.train.slice_input_producer([tf.range(COUNT), tf.range(COUNT) * 2], num_epochs=1)
    number = checked(number, poison)
    queue = tf.FIFOQueue(30, [tf.int32, tf.int32], [[], []])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([number, value])] * 2))
    return lt.inputs.from_tensors(per_tower=[queue.dequeue_many(4) for _ in range(TOWERS)])


def prefetch(folder, poison):
    """The same queue as slim's prefetch_queue."""
    queue = tf.train.string_input_producer(text_files(folder), num_epochs=1)
    batch = tf.train.batch(read_csv(queue, poison), 4)
    ready = tf.FIFOQueue(8, [part.dtype for part in batch], [part.shape for part in batch])
    tf.train.add_queue_runner(tf.train.QueueRunner(ready, [ready.enqueue(batch)]))
    tf.summary.scalar("fraction_of_8_full", tf.cast(ready.size(), tf.float32) / 8)
    return lt.inputs.from_queue(ready)


def own_fifo(folder, poison):
    names = tf.train.string_input_producer(text_files(folder), num_epochs=1)
    queue = tf.FIFOQueue(30, [tf.int32, tf.float32], [[], []], names=["id", "value"])
    number, value = read_csv(names, poison)
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue({"id": number, "value": value})] * 2))
    return lt.inputs.from_queue(queue, per_tower_batch_size=4)


def own_fifo_of_blocks(folder, poison):
    names = tf.train.string_input_producer([records_file(folder)], num_epochs=1)
    _, records = tf.TFRecordReader().read_up_to(names, 7)
    numbers = checked(tf.reshape(tf.decode_raw(records, tf.int64), [-1]), poison)
    queue = tf.FIFOQueue(30, [tf.int64], [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue_many([numbers])]))
    return lt.inputs.from_queue(queue, global_batch_size=16, prefetch=2)


def own_padding_fifo(folder, poison):
    names = tf.train.string_input_producer(text_files(folder), num_epochs=1)
    number, _ = read_csv(names, poison)
    queue = tf.PaddingFIFOQueue(30, [tf.int32, tf.int32], [[], [None]])
    words = tf.fill([number % 5 + 1], number)
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([number, words])]))
    return lt.inputs.from_queue(queue, per_tower_batch_size=4)


def own_shuffling_by_threads(folder, poison):
    queue = tf.RandomShuffleQueue(40, 20, [tf.int32, tf.float32], [[], [2]])

    def half(first):
        def rows():
            for number in range(first, COUNT, 2):
                if poison and number == 37:
                    raise tf.errors.InvalidArgumentError(None, None, "example 37 is damaged")
                yield number, [number, -number]

        return rows

    return lt.inputs.from_queue(queue, per_tower_batch_size=4, feed_with=[half(0), half(1)])


IDIOMS = [
    text_lines, whole_files, slices, ranges, fixed_length, read_up_to, batch_join, shuffle_batch_join, dynamic_pad,
    smaller_final_batch, a_batch_per_tower, prefetch, own_fifo, own_fifo_of_blocks, own_padding_fifo,
    own_shuffling_by_threads,
]


def first(batch):
    return batch["id"] if isinstance(batch, dict) else batch[0] if isinstance(batch, (list, tuple)) else batch


def build(idiom, folder, poison=False):
    def model(batch, mode):
        weight = tf.get_variable("weight", [], tf.float32, tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(weight - tf.cast(first(batch), tf.float32)))
        return lt.TowerOutput(loss=loss, predictions=batch)

    return lt.build_train_step(
        model, idiom(folder, poison), tf.train.GradientDescentOptimizer(0.01), lt.devices.cpus(TOWERS)
    )


def fetches(step):
    counts = step.input.counts
    counts = [tf.size(first(tower.output.predictions)) for tower in step.towers] if counts is None else counts
    return [(tower.output.predictions, count) for tower, count in zip(step.towers, counts)]


def run_monitored(step):
    wanted, seen = (step.train_op, fetches(step)), []
    config = lt.session_config(logical_cpus=TOWERS)
    with tf.train.MonitoredTrainingSession(hooks=step.hooks, config=config) as session:
        while not session.should_stop():
            seen.append(session.run(wanted)[1])
    return seen


def run_bare(step):
    wanted, seen = fetches(step), []
    with tf.Session(config=lt.session_config(logical_cpus=TOWERS)) as session, step.running(session) as run:
        while not run.should_stop():
            seen.append(run(wanted))
    return seen


RUNS = pytest.mark.parametrize("run", [run_monitored, run_bare], ids=["monitored", "bare"])
ALL = pytest.mark.parametrize("idiom", IDIOMS, ids=[idiom.__name__ for idiom in IDIOMS])
ALTERNATELY = pytest.mark.parametrize(
    "idiom, run", diagonals(2, IDIOMS, [run_monitored, run_bare]), ids=lambda value: value.__name__
)


@ALTERNATELY
def test_each_example_of_an_epoch_goes_to_one_tower(idiom, run, tmp_path):
    steps = run(build(idiom, tmp_path))
    assert len(steps) == 4
    numbers = [int(number) for step in steps for batch, count in step for number in first(batch)[:count]]
    assert sorted(numbers) == list(range(COUNT))
    for step in steps:
        for batch, _ in step:
            if isinstance(batch, list) and batch[1].ndim == 2:  # sequences of 1 to 5 times the number, or [n, -n]
                for number, row in zip(*batch):
                    length = number % 5 + 1
                    expected = [number, -number] if row.dtype == np.float32 else [number] * length
                    assert row[:len(expected)].tolist() == expected and not row[len(expected):].any()


@ALTERNATELY
def test_an_error_of_the_preprocessing_is_raised(idiom, run, tmp_path):
    step = build(idiom, tmp_path, poison=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="example 37 is damaged"):
        run(step)


@ALL
def test_input_ops_of_from_tensors(idiom, tmp_path):
    step = build(idiom, tmp_path)
    assert step.input.input_ops
    for each in step.input.input_ops:
        assert each.type in ("QueueDequeueV2", "QueueDequeueManyV2", "QueueDequeueUpToV2")
