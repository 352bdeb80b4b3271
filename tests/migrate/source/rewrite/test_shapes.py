"""Before and after: the text that rewriting gives, and that both texts read the same examples."""
import collections
import glob
import os
import shutil
import struct

import pytest

from legacy_towers.compat import tf
from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import read_project
from legacy_towers.migrate.source.rewrite.plan import plan_rewrite
from legacy_towers.migrate.source.rewrite.targets import TF2

_PAIRS = os.path.join(os.path.dirname(__file__), "pairs")
_SHUFFLED = {
    "batch_examples_shuffled", "batch_record_features", "buckets_by_length", "buckets_by_number",
    "buckets_by_remainder", "buckets_in_one_branch", "buckets_of_dicts", "columns_in_a_join",
    "constants_of_a_loop_of_threads",
    "functions_that_read_and_batch", "input_producer", "joined_readers", "joined_readers_in_a_list",
    "keep_input_of_a_list_shuffled", "keep_input_shuffled", "length_of_a_joined_list", "lists_of_readers_passed",
    "lists_of_readers_returned",
    "lists_of_threads_returned", "lists_passed_in_turn", "lists_passed_to_a_function", "loop_that_prints_beside_a_join",
    "numbers_of_threads",
    "numbers_of_threads_in_a_list", "own_queues_in_branches", "own_shuffled_queue", "parsed_by_a_list_of_threads",
    "parsed_by_a_loop_of_threads", "queue_of_records", "queue_of_records_read_by_threads",
    "queue_of_records_returned", "readers_joined_for_one_of_two_batchers", "readers_joined_in_a_loop",
    "readers_of_two_classes", "records_shuffled", "shapes_of_a_function", "slices_shuffled", "slim_parallel_read",
    "slim_provider", "two_batchers",
}
_NAMES = sorted(
    os.path.basename(path)[: -len("_before.py")] for path in glob.glob(os.path.join(_PAIRS, "*_before.py"))
)
_MOST_RUNS = 30


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Returns the names that the scripts use, with what they stand for."""
    folder = tmp_path_factory.mktemp("data")
    path = lambda name: str(folder / name)  # noqa: E731
    files, number = [], 0
    for index, count in enumerate((7, 5)):
        files.append(path("{}.tfrecord".format(index)))
        with tf.python_io.TFRecordWriter(files[-1]) as writer:
            for _ in range(count):
                features = {
                    "id": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
                    "x": tf.train.Feature(float_list=tf.train.FloatList(value=[number + .5, -number])),
                    "raw": tf.train.Feature(bytes_list=tf.train.BytesList(value=[bytes([number, 1, 2])])),
                }
                writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())
                number += 1
    csv = [path("b.csv"), path("a.csv")]
    for name in csv:
        with open(name, "w") as file:
            file.write("a,n,label\n" + "".join("{},{},{}\n".format(i * .5, i, name[-5]) for i in range(4)))
    binary = [path("0.bin"), path("1.bin")]
    for index, name in enumerate(binary):
        with open(name, "wb") as file:
            file.write(b"**" + b"".join(struct.pack("6B", *(10 * index + i + k for k in range(6))) for i in range(3)))
    images = [path("{}.png".format(index)) for index in range(4)]
    with tf.Graph().as_default(), tf.Session() as session:
        encoded = [tf.image.encode_png(tf.fill([4, 5, 3], tf.constant(40 * i, tf.uint8))) for i in range(4)]
        for name, content in zip(images, session.run(encoded)):
            with open(name, "wb") as file:
                file.write(content)
    return {"FILES": files, "CSV": csv, "BINARY": binary, "IMAGES": images, "FOLDER": str(folder)}


def _rewritten(path):
    project = read_project([str(path)])
    plan = plan_rewrite(project, find_pipelines(project))
    assert [str(each) for each in plan.left] == []
    return plan.texts


def _read(text, data):
    """Runs a script, and returns its batches and their static shapes."""
    with tf.Graph().as_default():
        scope = dict(data)
        exec(compile(text, "script.py", "exec"), scope)
        fetched = tf.nest.flatten(scope["FETCHED"])
        summaries = [each.op.name for each in tf.get_collection(tf.GraphKeys.SUMMARIES)]
        assert set(summaries) >= set(scope.get("SUMMARIES", ()))
        shapes = [str(getattr(each, "shape", "")) for each in fetched]
        batches = []
        with tf.Session() as session:
            session.run([
                tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()
            ])
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            try:
                while len(batches) < _MOST_RUNS:
                    batches.append([each.tolist() for each in session.run(fetched)])
            except tf.errors.OutOfRangeError:
                pass
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=60, ignore_live_threads=True)
    return batches, shapes


def _examples(batches):
    return collections.Counter(
        str([part[number] for part in batch]) for batch in batches for number in range(len(batch[0]))
    )


@pytest.mark.parametrize("name", _NAMES)
def test_rewritten_script_reads_the_same_examples(name, data, tmp_path):
    before_path = os.path.join(_PAIRS, name + "_before.py")
    path = tmp_path / "script.py"
    shutil.copy(before_path, str(path))
    after = _rewritten(path)[str(path)]
    with open(os.path.join(_PAIRS, name + "_after.py")) as file:
        assert after == file.read()
    with open(before_path) as file:
        before_batches, before_shapes = _read(file.read(), data)
    after_batches, after_shapes = _read(after, data)
    assert after_shapes == before_shapes
    assert len(before_batches) < _MOST_RUNS
    if name in _SHUFFLED:
        assert _examples(after_batches) == _examples(before_batches)
        assert len(after_batches) == len(before_batches)
    else:
        assert after_batches == before_batches


@pytest.mark.parametrize("statement, call, size", [
    pytest.param("import inputs", "inputs.read", "1 + inputs.FLAGS.size * inputs.FLAGS.size", id="module"),
    pytest.param("import inputs as data", "data.read", "1 + data.FLAGS.size * data.FLAGS.size", id="name of a module"),
    pytest.param("from inputs import read", "read", None, id="function"),
])
def test_record_bytes_of_another_module_are_named_by_it(statement, call, size, tmp_path):
    (tmp_path / "inputs.py").write_text(
        "import tensorflow as tf\nFLAGS = tf.app.flags.FLAGS\n"
        "def read(queue):\n    size = FLAGS.size * FLAGS.size\n"
        "    _, value = tf.FixedLengthRecordReader(1 + size).read(queue)\n    return tf.decode_raw(value, tf.uint8)\n")
    path = tmp_path / "train.py"
    path.write_text("import tensorflow as tf\n" + statement + "\nqueue = tf.train.string_input_producer(['a'])\n"
                    "x = " + call + "(queue)\nbatch = tf.train.batch([x], 2)\n")
    project = read_project([str(tmp_path)])
    plan = plan_rewrite(project, find_pipelines(project))
    if size is None:
        assert [each.reason for each in plan.left] == ["its record_bytes is computed in the function that reads"]
    else:
        assert "FixedLengthRecordDataset(filename, {})".format(size) in plan.texts[str(path)]


@pytest.mark.parametrize("boundaries, sizes", [
    pytest.param("[4, 8]", "[4, 8], [2] * 3))", id="list"),
    pytest.param("[4, *more]", "[4, *more], [2] * (len([4, *more]) + 1)))", id="list with a star"),
    pytest.param("more", "more, [2] * (len(more) + 1)))", id="name"),
])
def test_number_of_buckets_is_a_number_where_the_boundaries_are_a_list(boundaries, sizes, tmp_path):
    with open(os.path.join(_PAIRS, "buckets_by_length_before.py")) as file:
        before = file.read().replace("import tf\n", "import tf\n\nmore = [8]\n")
    path = tmp_path / "script.py"
    path.write_text(before.replace("[4, 8]", boundaries).replace("=True)", "=True, allow_smaller_final_batch=True)"))
    assert "lambda length, example: length, " + sizes in _rewritten(path)[str(path)]


@pytest.mark.parametrize("name", _NAMES)
def test_rewriting_its_own_output_changes_nothing(name, tmp_path):
    shutil.copy(os.path.join(_PAIRS, name + "_after.py"), str(tmp_path / "script.py"))
    assert _rewritten(tmp_path / "script.py") == {}


@pytest.mark.parametrize("name", [
    "batch_features", "buckets_by_length", "csv", "dynamic_pad", "functions_that_read_and_batch",
    "numbers_of_threads", "own_queues_in_branches", "queue_of_records", "slices_of_names_and_labels",
    "whole_files",
])
def test_script_with_the_names_of_tensorflow_2_reads_the_same_examples(name, data, tmp_path):
    path = tmp_path / "script.py"
    with open(os.path.join(_PAIRS, name + "_before.py")) as file:
        before = file.read()
    path.write_text(before.replace("from legacy_towers.compat import tf\n", "import tensorflow as tf\n"))
    project = read_project([str(path)])
    after = plan_rewrite(project, find_pipelines(project), TF2).texts[str(path)]
    assert "tf.compat.v1.data.make_one_shot_iterator" in after
    before_batches, before_shapes = _read(before, data)
    after_batches, after_shapes = _read(after, data)
    assert after_shapes == before_shapes
    assert _examples(after_batches) == _examples(before_batches)


def test_classes_of_one_name_in_two_files_are_rewritten_by_themselves(tmp_path):
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "reader.py").write_text(
            "import tensorflow as tf\nclass Reader(object):\n    def __init__(self, names, labels):\n"
            "        self.queue = tf.train.slice_input_producer([names, labels])\n"
            "        self.image, self.label = tf.read_file(self.queue[0]), self.queue[1]\n"
            "    def batch(self):\n        return tf.train.batch([self.image, self.label], 2)\n"
            "images, labels = Reader(['a'], [1]).batch()\n")
    assert len(_rewritten(tmp_path)) == 2


def test_a_class_derived_from_one_of_its_name_shares_its_attributes(tmp_path):
    (tmp_path / "base.py").write_text(
        "import tensorflow as tf\nclass Reader(object):\n    def __init__(self, names, labels):\n"
        "        self.queue = tf.train.slice_input_producer([names, labels])\n"
        "        self.image, self.label = tf.read_file(self.queue[0]), self.queue[1]\n"
        "    def batch(self):\n        return tf.train.batch([self.image, self.label], 2)\n")
    (tmp_path / "train.py").write_text(
        "import base\nclass Reader(base.Reader):\n    def single(self):\n        return self.image\n"
        "reader = Reader(['a'], [1])\nimages, labels = reader.batch()\nimage = reader.single()\n")
    project = read_project([str(tmp_path)])
    plan = plan_rewrite(project, find_pipelines(project))
    assert ["'self.image' holds one example, and is also used elsewhere" in each.reason for each in plan.left] == [True]
