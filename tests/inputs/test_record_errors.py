"""Errors of reading and parsing name the file and the record, with several files, readers and towers."""
import os

import numpy as np
import pytest
from damaged_files import RECORD, change_byte, parse_number, write_tfrecords

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import InputError, RecordError

PIPELINES = {
    "queue of 3 readers": lambda examples: lt.inputs.queue(examples, per_tower_batch_size=2, join=3),
    "queue of 3 threads": lambda examples: lt.inputs.queue(examples, per_tower_batch_size=2, threads=3),
    "split": lambda examples: lt.inputs.dataset(examples, per_tower_batch_size=2, route="split"),
    "next_per_tower": lambda examples: lt.inputs.dataset(examples, per_tower_batch_size=2),
    "sharded": lambda examples: lt.inputs.dataset(examples, per_tower_batch_size=2, route="sharded"),
    "per_device": lambda examples: lt.inputs.dataset(examples, per_tower_batch_size=2, route="per_device"),
    "feed": lambda examples: lt.inputs.feed(examples, per_tower_batch_size=2),
    "feed in the background": lambda examples: lt.inputs.feed(examples, per_tower_batch_size=2, background=True),
    "staged": lambda examples: lt.inputs.staged(lt.inputs.queue(examples, per_tower_batch_size=2)),
}


def model_fn(batch, mode):
    values = tf.cast(tf.nest.flatten(batch)[0], tf.float32)
    weight = tf.get_variable("weight", [], initializer=tf.zeros_initializer())
    return lt.TowerOutput(loss=tf.reduce_mean(tf.square(weight - values)))


def step_of(inputs):
    return lt.build_train_step(model_fn, inputs, tf.train.GradientDescentOptimizer(0.01), lt.devices.cpus(2))


def run_steps(inputs, steps=60):
    with tf.Graph().as_default():
        step = step_of(inputs)
        with tf.Session(config=lt.session_config(logical_cpus=2)) as session, step.running(session) as run:
            for _ in range(steps):
                run()


def files(folder, bad):
    """Returns the paths of the numbers 0 to 29 in three files; `bad` is 21: it is negative, or its data is damaged."""
    paths = []
    for index in range(3):
        numbers = np.arange(10 * index, 10 * index + 10)
        if bad == "parse":
            numbers[numbers == 21] = -21
        paths.append(write_tfrecords(folder / "{}.rec".format(index), numbers))
    if bad == "damage":
        change_byte(paths[2], RECORD + 13)
    return paths


@pytest.mark.parametrize("name, bad", [(name, "parse") for name in sorted(PIPELINES)] + [
    ("split", "damage"), ("queue of 3 readers", "damage"), ("feed", "damage"),
])
def test_every_pipeline_names_file_and_record(tmp_path, name, bad):
    paths = files(tmp_path, bad)
    with pytest.raises(RecordError) as raised:
        run_steps(PIPELINES[name](lt.Examples.from_tfrecords(paths, parse_number)))
    expected = "a negative number" if bad == "parse" else "the data of this record does not match its checksum"
    assert str(raised.value).startswith("{}, record 1 (byte 24): ".format(paths[2])) and expected in str(raised.value)
    # code that handles TensorFlow's error still does
    assert isinstance(raised.value, tf.errors.InvalidArgumentError if bad == "parse" else tf.errors.DataLossError)


def test_a_session_names_them_too(tmp_path):
    examples = lt.Examples.from_tfrecords(files(tmp_path, "parse"), parse_number)
    with pytest.raises(RecordError, match=r"2.rec, record 1 \(byte 24\)"):
        step = step_of(lt.inputs.dataset(examples, per_tower_batch_size=2))
        with lt.training.session(step, config=lt.session_config(logical_cpus=2)) as session:
            while True:
                session.run(step.train_op)
    with pytest.raises(RecordError, match=r"2.rec, record 1 \(byte 24\)"), lt.inputs.naming_records(examples):
        with tf.Graph().as_default(), tf.Session() as session:
            iterator = tf.data.make_initializable_iterator(examples.dataset().batch(30))
            batch = iterator.get_next()
            session.run(iterator.initializer)
            session.run(batch)


def sources(folder):
    (folder / "a.csv").write_text("x,y\n1,2\n3,4\n5,six\n")
    yield lt.Examples.from_csv(str(folder / "a.csv"), {"y": 0.0}, count=3), "a.csv, line 4: Field 0 in record"
    (folder / "lines").write_text("1\n2\nthree\n")
    yield lt.Examples.from_text_lines(str(folder / "lines"), tf.strings.to_number), "lines, line 3: StringToNumber"
    (folder / "fixed").write_bytes(np.array([1, -2, 3], np.int64).tobytes())
    yield lt.Examples.from_fixed_length(str(folder / "fixed"), 8, parse_number), "fixed, record 1 (byte 8): "
    with tf.Session() as session:
        jpeg = session.run(tf.io.encode_jpeg(tf.zeros([4, 4, 3], tf.uint8)))
    for number in range(3):
        (folder / "{}.jpg".format(number)).write_bytes(jpeg[:100] if number == 1 else jpeg)
    yield lt.Examples.from_whole_files(
        str(folder / "*.jpg"), lambda path, content: tf.reshape(tf.io.decode_jpeg(content, 3), [4, 4, 3])
    ), "1.jpg: "
    with tf.io.TFRecordWriter(str(folder / "examples")) as writer:
        for values in ([1.0, 2.0], [3.0, 4.0], [5.0]):
            feature = tf.train.Feature(float_list=tf.train.FloatList(value=values))
            writer.write(tf.train.Example(features=tf.train.Features(feature={"x": feature})).SerializeToString())
        writer.write(tf.train.Example().SerializeToString())

    def parse(record):
        return tf.parse_single_example(record, {"x": tf.FixedLenFeature([2], tf.float32)})

    yield lt.Examples.from_tfrecords(str(folder / "examples"), parse), "examples, record 2 (byte "

    def parse_any(record):
        return tf.parse_single_example(record, {"x": tf.FixedLenSequenceFeature([], tf.float32, True)})["x"]

    yield (
        lt.Examples.from_tfrecords(str(folder / "examples"), parse_any),
        ": the example has the shape [1], that of the first example is [2]",
    )


def test_every_source_names_them(tmp_path):
    for examples, expected in sources(tmp_path):
        with pytest.raises(RecordError) as raised:
            list(examples.numpy_batches(3))
        assert expected in str(raised.value), expected


def test_files_that_vanish_or_change(tmp_path):
    paths = files(tmp_path, "")
    examples = lt.Examples.from_tfrecords(paths, parse_number)
    step = step_of(lt.inputs.dataset(examples, per_tower_batch_size=2))
    with pytest.raises(RecordError, match="1.rec changed while it was read: it had 240 bytes, and has 216 now"):
        with tf.Session(config=lt.session_config(logical_cpus=2)) as session, step.running(session) as run:
            run()
            os.truncate(paths[1], 216)
    batches = examples.numpy_batches(4, epochs=2)
    os.remove(paths[1])
    with pytest.raises(RecordError, match="1.rec can't be read: it was there when the run began"):
        list(batches)


def test_an_unreadable_file_is_refused(tmp_path, monkeypatch):
    path = files(tmp_path, "")[0]
    monkeypatch.setattr(os, "access", lambda name, mode: str(name) != path)  # root may read every file
    with pytest.raises(InputError, match="0.rec can't be read: this user has no permission"):
        lt.Examples.from_tfrecords(path, parse_number)


def test_errors_of_the_model_stay_as_they_are(tmp_path):
    examples = lt.Examples.from_tfrecords(files(tmp_path, ""), parse_number)

    def failing(batch, mode):
        checked = tf.check_numerics(tf.log(-1.0 - tf.cast(batch["number"], tf.float32)), "in the model")
        return lt.TowerOutput(loss=tf.reduce_mean(checked) * tf.get_variable("weight", []))

    step = lt.build_train_step(
        failing, lt.inputs.dataset(examples, per_tower_batch_size=2), tf.train.GradientDescentOptimizer(0.1), ["/cpu:0"]
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="in the model") as raised:
        with tf.Session() as session, step.running(session) as run:
            run()
    assert not isinstance(raised.value, RecordError)
