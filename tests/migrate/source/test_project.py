"""Which calls of queues a project has: by what its names mean, across functions, classes and modules."""
import textwrap

import pytest

from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import read_project


@pytest.fixture(autouse=True)
def fresh_graph():
    """Replaces the fixture of conftest.py: these tests need no TensorFlow."""


def read(folder, sources):
    for name, source in sources.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source), encoding="utf-8")
    return read_project([str(folder)])


def calls(project):
    return [(site.name, site.line) for site in project.sites]


@pytest.mark.parametrize(
    "source, name, line",
    [
        ("import tensorflow as tf\ntf.train.batch([x], 2)", "tf.train.batch", 2),
        ("import tensorflow\ntensorflow.train.batch([x], 2)", "tf.train.batch", 2),
        ("import tensorflow.compat.v1 as tf\ntf.train.batch([x], 2)", "tf.train.batch", 2),
        ("from tensorflow import train as t\nt.batch([x], 2)", "tf.train.batch", 2),
        ("from legacy_towers.compat import tf\ntf.train.batch([x], 2)", "tf.train.batch", 2),
        ("from tensorflow.python.training import input as i\ni.batch([x], 2)", "tf.train.batch", 2),
        ("from tensorflow.python.ops import data_flow_ops\ndata_flow_ops.FIFOQueue(1, [t])", "tf.FIFOQueue", 2),
        ("import tensorflow as tf\nbatch = tf.train.batch\nbatch([x], 2)", "tf.train.batch", 3),
        ("import tensorflow as tf\nslim = tf.contrib.slim\nslim.prefetch_queue.prefetch_queue([x])",
         "tf.contrib.slim.prefetch_queue", 3),
        ("from tensorflow.train import *\nshuffle_batch([x], 2, 4, 1)", "tf.train.shuffle_batch", 2),
        ("from tensorflow import *\ntrain.shuffle_batch([x], 2, 4, 1)", "tf.train.shuffle_batch", 2),
        ("from elsewhere import *\ntf.train.batch([x], 2)", "tf.train.batch", 2),
        ("try:\n  import tensorflow.compat.v1 as tf\nexcept ImportError:\n  import tensorflow as tf\n"
         "tf.train.batch([x], 2)", "tf.train.batch", 5),
        ("import tensorflow as tf\nmake = {'a': tf.TextLineReader}\nmake['a']()", "tf.TextLineReader", 3),
        ("import tensorflow as tf\nprint 'Python 2'\ntf.train.batch([x], 2)", "tf.train.batch", 3),
    ],
    ids=["as tf", "whole", "compat.v1", "a part", "legacy_towers", "private", "private queue", "alias", "slim alias",
         "star", "star of the root", "unknown star", "two imports", "in a dictionary", "Python 2"],
)
def test_a_call_is_found_by_what_its_name_means(tmp_path, source, name, line):
    assert calls(read(tmp_path, {"script.py": source})) == [(name, line)]


@pytest.mark.parametrize(
    "source",
    [
        "import tensorflow as tf\ntf.data.Dataset.range(3).shuffle(2).batch(2)",
        "import queue\nqueue.Queue(3).put(1)",
        "import tensorflow as tf\ndef shuffle_batch(x):\n  return x\nshuffle_batch(3)",
        "import tensorflow as tf\ndef f(tf):\n  return tf.train.shuffle_batch([1], 2, 3, 1)",
        "class train:\n  shuffle_batch = print\ntrain.shuffle_batch(2)",
        "'tf.train.shuffle_batch([x], 2)'\n# tf.train.shuffle_batch([x], 2)",
        "from mine import tf_util as tf\ntf.train.shuffle_batch([1], 2, 3, 1)",
    ],
    ids=["tf.data", "queue.Queue", "own function", "shadowed", "own class", "text", "another module"],
)
def test_other_names_are_not_calls_of_queues(tmp_path, source):
    assert calls(read(tmp_path, {"script.py": source})) == []


@pytest.mark.parametrize("sources, name", [
    ({"both/__init__.py": "from tensorflow import *"}, "both"),
    ({"both.py": "from tensorflow import *\nfrom os import *"}, "both"),
], ids=["package", "module"])
def test_a_module_that_has_all_names_of_tensorflow_is_followed(tmp_path, sources, name):
    script = "import {} as tf\ntf.train.batch([x], 2)\ntf.join('a', 'b')".format(name)
    assert calls(read(tmp_path, dict(sources, **{"a_script.py": script}))) == [("tf.train.batch", 2)]


def test_a_pipeline_is_followed_over_functions_classes_and_modules(tmp_path):
    sources = {
        "pkg/__init__.py": "",
        "pkg/reader.py": """
            import tensorflow as tf

            def read(files):
                _, record = tf.TFRecordReader().read(tf.train.string_input_producer(files))
                return record
            """,
        "pkg/batching.py": """
            import tensorflow as tf
            from . import reader

            class Data(object):
                def __init__(self, files):
                    self.record = reader.read(files)

                def batch(self, size):
                    return tf.train.batch([self.record], size)
            """,
        "main.py": """
            import tensorflow as tf
            from pkg.batching import Data

            batch = Data(["a"]).batch(4)
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(coord=coord)
            coord.join(threads)
            """,
    }
    project = read(tmp_path, sources)
    found = find_pipelines(project)
    (pipeline,) = found.pipelines
    assert [site.name for site in pipeline.sites] == [
        "tf.TFRecordReader", "tf.train.string_input_producer", "tf.ReaderBase.read", "tf.train.batch"
    ]
    assert [site.name for site in pipeline.controls] == [
        "tf.train.Coordinator", "tf.train.start_queue_runners", "tf.train.Coordinator.join"
    ]
    assert found.alone == []


@pytest.mark.parametrize("paths", [["."], ["training"], ["training/images/inputs.py", "training/images/train.py"]])
def test_modules_are_found_in_the_folders_above_a_file_of_the_working_directory(paths, tmp_path, monkeypatch):
    folder = tmp_path / "training" / "images"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "inputs.py").write_text(
        "import tensorflow as tf\ndef read(queue):\n    return tf.TextLineReader().read(queue)[1]\n")
    (folder / "train.py").write_text(
        "import tensorflow as tf\nfrom images.inputs import read\n"
        "x = tf.train.batch([read(tf.train.string_input_producer(['a']))], 2)\n")
    monkeypatch.chdir(tmp_path)
    (pipeline,) = find_pipelines(read_project(paths)).pipelines
    assert len(pipeline.sites) == 4


def test_a_module_with_the_name_of_its_package_does_not_hide_the_others(tmp_path):
    sources = {
        "images/__init__.py": "",
        "images/images.py": "from images import util\n",
        "images/util.py": """
            import tensorflow as tf

            def read(queue):
                return tf.TextLineReader().read(queue)[1]
            """,
        "images/inputs.py": """
            import tensorflow as tf
            from images import util

            x = tf.train.batch([util.read(tf.train.string_input_producer(["a"]))], 2)
            """,
    }
    (pipeline,) = find_pipelines(read(tmp_path, sources)).pipelines
    assert len(pipeline.sites) == 4


_RENAMED = {
    "ops/inputs.py": """
        import tensorflow as tf

        def read(queue):
            return tf.TextLineReader().read(queue)[1]
        """,
    "settings.py": "size = 2\n",
    "words.py": "",
    "train.py": """
        import tensorflow as tf
        from captions import settings, words
        from captions.ops import inputs as input_ops

        queue = tf.train.string_input_producer(["a"])
        x = tf.train.batch([input_ops.read(queue)], settings.size)
        """,
}


@pytest.mark.parametrize("more, count", [
    pytest.param({}, 1, id="all modules of the package are there"),
    pytest.param({"words.py": "import captions.missing\n"}, 2, id="one is missing"),
    pytest.param({"ops/inputs.py": "", "ops.py": _RENAMED["ops/inputs.py"], "train.py": _RENAMED["train.py"].replace(
        "captions.ops import inputs as", "captions import ops as")}, 2, id="none is in a folder"),
])
def test_modules_of_a_package_whose_folder_has_another_name_are_found(more, count, tmp_path):
    assert len(find_pipelines(read(tmp_path, dict(_RENAMED, **more))).pipelines) == count


@pytest.mark.parametrize("more, name, is_followed", [
    ({}, "reading", True),
    ({"old/reading.py": "x = 1"}, "reading", False),  # either of them
    ({}, "queue", False),  # Python's own
], ids=["only file of the name", "two files", "module of Python"])
def test_a_module_in_no_folder_of_its_importer_is_the_only_file_of_that_name(tmp_path, more, name, is_followed):
    project = read(tmp_path, dict(more, **{
        "src/data/{}.py".format(name): """
            import tensorflow as tf
            def batches(files):
                _, value = tf.TextLineReader().read(files)
                return tf.train.batch([value], 2)
            """,
        "scripts/train.py": """
            import tensorflow as tf
            from {} import batches
            batch = batches(tf.train.string_input_producer(["a"]))
            """.format(name),
    }))
    assert len(find_pipelines(project).pipelines) == (1 if is_followed else 2)


def test_two_uses_of_a_helper_stay_two_pipelines(tmp_path):
    source = """
        import tensorflow as tf

        def scaled(image):
            return image * 2

        a = tf.train.batch([scaled(tf.train.range_input_producer(3).dequeue())], 2)
        b = tf.train.batch([scaled(tf.train.range_input_producer(4).dequeue())], 2)
        """
    assert len(find_pipelines(read(tmp_path, {"script.py": source})).pipelines) == 2


def test_functions_that_call_each_other_through_a_table_are_read_within_bounds(tmp_path):
    names = ["step_{}".format(number) for number in range(300)]
    lines = ["import tensorflow as tf", "TABLE = {}"]
    for name in names:
        lines += [
            "def {}(left, right):".format(name),
            "    chosen = TABLE[left.name](right, {})".format(name),
            "    return TABLE[right.name](chosen, left)",
            "TABLE['{0}'] = {0}".format(name),
        ]
    lines += ["queue = tf.train.string_input_producer(['a'])", "TABLE['step_0'](queue, step_1)"]
    path = tmp_path / "table.py"
    path.write_text("\n".join(lines) + "\n")
    project = read_project([str(path)])
    assert [(each.name, each.line) for each in project.sites] == [("tf.train.string_input_producer", len(lines) - 1)]
    assert project.knowledge.limited == {str(path)}


def test_a_method_that_a_class_overrides_is_not_that_of_its_base(tmp_path):
    source = """
        import tensorflow as tf

        class Base(object):
            def record(self):
                return tf.train.range_input_producer(3).dequeue()

        class Derived(Base):
            def record(self):
                return tf.train.input_producer([3]).dequeue()

        x = tf.train.batch([Derived().record()], 2)
        """
    project = read(tmp_path, {"script.py": source})
    (batch,) = [site for site in project.sites if site.name == "tf.train.batch"]
    assert [(site.name, site.line) for site in project.sources(batch)] == [("tf.QueueBase.dequeue", 10)]


def test_values_are_followed_through_many_functions(tmp_path):
    links = ["def step_{}(x):\n    return step_{}(x * 2)".format(number, number + 1) for number in range(12)]
    lines = ["import tensorflow as tf"] + links + [
        "def step_12(x):", "    return tf.train.batch([x * 2], 2)", "step_0(tf.train.range_input_producer(3).dequeue())"
    ]
    (pipeline,) = find_pipelines(read(tmp_path, {"script.py": "\n".join(lines) + "\n"})).pipelines
    assert [site.name for site in pipeline.sites] == [
        "tf.train.range_input_producer", "tf.QueueBase.dequeue", "tf.train.batch"
    ]


def test_what_functions_put_into_a_table_of_the_module_is_called(tmp_path):
    source = """
        import tensorflow as tf
        READERS = {}

        def register(name, make):
            READERS[name] = make

        def build(name, queue):
            return READERS[name]().read(queue)

        register("record", tf.TFRecordReader)
        record = build("record", tf.train.string_input_producer(["a"]))
        """
    assert sorted(site.name for site in read(tmp_path, {"script.py": source}).sites) == [
        "tf.ReaderBase.read", "tf.TFRecordReader", "tf.train.string_input_producer"
    ]
