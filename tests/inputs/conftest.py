"""Examples that contain their number, from every source, and a function that runs any input pipeline."""
import os
import threading

import numpy as np
import pytest

COUNT = 64


def features(number):
    return np.float32([number, number / 2, -number])


@pytest.fixture
def sources(tmp_path):
    """Returns a function from a kind of source to Examples of COUNT examples: {"id": int64, "part": {"x": [3]}}."""
    from legacy_towers.compat import tf
    from legacy_towers.data import Examples

    def parse(serialized):
        spec = {"id": tf.io.FixedLenFeature([], tf.int64), "x": tf.io.FixedLenFeature([3], tf.float32)}
        parsed = tf.io.parse_single_example(serialized, spec)
        return {"id": parsed["id"], "part": {"x": parsed["x"]}}

    def parse_fixed(record):
        numbers = tf.reshape(tf.decode_raw(record, tf.float32), [4])
        return {"id": tf.cast(numbers[0], tf.int64), "part": {"x": numbers[1:]}}

    def tfrecords(**options):
        paths = [str(tmp_path / "{}.tfrecord".format(index)) for index in range(3)]
        for index, numbers in enumerate(np.array_split(np.arange(COUNT), 3)):
            with tf.io.TFRecordWriter(paths[index]) as writer:
                for number in numbers:
                    feature = {
                        "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
                        "x": tf.train.Feature(float_list=tf.train.FloatList(value=features(number))),
                    }
                    writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
        return Examples.from_tfrecords(os.path.join(str(tmp_path), "*.tfrecord"), parse, **options)

    def fixed_length(**options):
        for index, numbers in enumerate(np.array_split(np.arange(COUNT), 2)):
            rows = np.stack([np.concatenate([[number], features(number)]) for number in numbers])
            rows.astype(np.float32).tofile(str(tmp_path / "{}.bin".format(index)))
        return Examples.from_fixed_length(str(tmp_path / "*.bin"), 16, parse_fixed, **options)

    def text_lines(**options):
        for index, numbers in enumerate(np.array_split(np.arange(COUNT), 3)):
            lines = ["{} {} {} {}\n".format(number, *features(number)) for number in numbers]
            (tmp_path / "{}.txt".format(index)).write_text("the first line\n" + "".join(lines))

        def parse_line(line):
            numbers = tf.strings.to_number(tf.reshape(tf.strings.split([line], " ").values, [4]))
            return {"id": tf.cast(numbers[0], tf.int64), "part": {"x": numbers[1:]}}

        return Examples.from_text_lines(str(tmp_path / "*.txt"), parse_line, skip_lines=1, **options)

    def csv(**options):
        for index, numbers in enumerate(np.array_split(np.arange(COUNT), 3)):
            lines = ['"a, b",{},{},{},{}\r\n'.format(number, *features(number)) for number in numbers]
            (tmp_path / "{}.csv".format(index)).write_text("words,id,x0,x1,x2\r\n" + "".join(lines))
        columns = {"id": tf.int64, "x2": 0.0, "x0": 0.0, "x1": 0.0}
        return Examples.from_csv(str(tmp_path / "*.csv"), columns, **options).map(
            lambda line: {"id": line["id"], "part": {"x": tf.stack([line["x0"], line["x1"], line["x2"]])}}
        )

    def whole_files(**options):
        (tmp_path / "whole").mkdir()
        for number in range(COUNT):
            features(number).tofile(str(tmp_path / "whole" / "{:02d}".format(number)))

        def parse_file(path, contents):
            number = tf.strings.to_number(tf.strings.split([path], "/").values[-1], tf.int64)
            return {"id": number, "part": {"x": tf.reshape(tf.decode_raw(contents, tf.float32), [3])}}

        return Examples.from_whole_files(str(tmp_path / "whole" / "*"), parse_file, **options)

    def arrays(**options):
        rows = np.stack([features(number) for number in range(COUNT)])
        return Examples.from_arrays({"id": np.arange(COUNT), "part": {"x": rows}}, **options)

    def generator(**options):
        def numbers():
            for number in range(COUNT):
                yield {"id": number, "part": {"x": features(number)}}

        spec = {"id": tf.TensorSpec([], tf.int64), "part": {"x": tf.TensorSpec([3], tf.float32)}}
        return Examples.from_generator(numbers, spec, **options)

    makers = {
        "tfrecords": tfrecords,
        "fixed_length": fixed_length,
        "text_lines": text_lines,
        "csv": csv,
        "whole_files": whole_files,
        "arrays": arrays,
        "generator": generator,
    }
    return lambda kind, **options: makers[kind](**options)


@pytest.fixture
def make_input():
    """Returns a function that makes an input pipeline from its spec: "feed", "dataset:split", ..."""
    from legacy_towers.inputs.named import make_pipeline

    return make_pipeline


@pytest.fixture
def drive():
    """Returns a function that runs batches to their end (or for some steps): a list of the towers' batches per step.

    `counted` gives for each tower (its batch, its count).
    """
    from legacy_towers.compat import tf

    def run(batches, steps=None, counted=False):
        config = tf.ConfigProto(device_count={"CPU": max(4, len(batches.per_tower))})
        seen = []
        # Through identities: a session returns fed values as they are, without running an operation.
        received = [
            tf.nest.pack_sequence_as(
                tower,
                [tf.identity(part) for part in tf.nest.flatten(tower, expand_composites=True)],
                expand_composites=True,
            )
            for tower in batches.per_tower
        ]
        if counted:
            received = list(zip(received, batches.counts))
        with tf.train.MonitoredTrainingSession(hooks=batches.hooks, config=config) as session:
            while not session.should_stop() and (steps is None or len(seen) < steps):
                seen.append(session.run(received))
        return seen

    return run


class ThirdWaits:
    """A function for `Dataset.map` that returns each number as a vector of one; number 2 waits for `go_on`.

    Attributes:
      is_waiting: an event that is set when number 2 waits.
      go_on: an event that ends the wait, which ends by itself after a minute.
    """

    def __init__(self):
        self.is_waiting, self.go_on = threading.Event(), threading.Event()

    def __call__(self, number):
        from legacy_towers.compat import tf

        passed = tf.numpy_function(self._wait, [number], tf.int64)
        passed.set_shape([])
        return tf.reshape(passed, [1])

    def _wait(self, number):
        if number == 2:
            self.is_waiting.set()
            self.go_on.wait(60)
        return number


@pytest.fixture
def third_waits():
    return ThirdWaits()


@pytest.fixture
def cpus():
    return ["/cpu:{}".format(index) for index in range(4)]
