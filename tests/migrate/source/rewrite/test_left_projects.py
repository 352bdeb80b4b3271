"""Pipelines that are left as they are, beside others of their file or project."""
import pytest

from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import read_project
from legacy_towers.migrate.source.rewrite.plan import plan_rewrite


def test_a_pipeline_that_cannot_be_rewritten_stays_beside_others_of_its_file(tmp_path):
    stays = "p = tf.FIFOQueue(10, [tf.float32])\nc = p.dequeue()\n" + (
        "coord = tf.train.Coordinator()\nthreads = tf.train.start_queue_runners(tf.Session(), coord)\n"
        "while not coord.should_stop():\n    run()\ncoord.request_stop()\n")
    (tmp_path / "script.py").write_text(
        "import tensorflow as tf\n"
        "q = tf.train.string_input_producer(['a'])\n_, x = tf.TextLineReader().read(q)\n"
        "b = tf.train.batch([x], 2)\n" + stays)
    project = read_project([str(tmp_path)])
    plan = plan_rewrite(project, find_pipelines(project))
    assert [(each.site.line, each.reason) for each in plan.left] == [
        (5, "no producer or queue runner that fills it was found in the files")]
    assert len(plan.rewritten) == 1
    (text,) = plan.texts.values()
    assert "string_input_producer" not in text and "TextLineDataset" in text and text.endswith(stays)


@pytest.mark.parametrize("text", [
    pytest.param("def feed(x):\n    return tf.train.batch([x], 2)\n"
                 "q = tf.train.string_input_producer(['a'])\n_, x = tf.TextLineReader().read(q)\nb = feed(x)\n"
                 "_, y = tf.TFRecordReader().read(tf.train.string_input_producer(['a']))\n"
                 "c = feed(y + tf.placeholder(tf.string, []))\n", id="function that batches"),
    pytest.param("r = tf.TextLineReader()\n_, x = r.read(tf.train.string_input_producer(['a']))\n"
                 "b = tf.train.batch([x], 2)\n"
                 "_, y = r.read(tf.train.string_input_producer(['b']))\nc = tf.train.batch([y], 2, foo=1)\n",
                 id="reader"),
    pytest.param("def read(files):\n    q = tf.train.string_input_producer(files)\n"
                 "    return tf.TextLineReader().read(q)[1]\n"
                 "x = read(['a'])\nb = tf.train.batch([x], 2)\ny = read(['b'])\nc = tf.train.batch([y], 2, foo=1)\n",
                 id="function that reads"),
])
def test_pipelines_that_share_a_function_or_reader_are_left_together(tmp_path, text):
    (tmp_path / "script.py").write_text("import tensorflow as tf\n" + text)
    project = read_project([str(tmp_path)])
    plan = plan_rewrite(project, find_pipelines(project))
    assert plan.texts == {} and plan.left and not plan.rewritten


def test_a_file_of_python_2_that_only_starts_queues_and_cannot_be_edited_is_left(tmp_path):
    (tmp_path / "inputs.py").write_text(
        "import tensorflow as tf\n\ndef batches():\n    q = tf.train.string_input_producer(['a'])\n"
        "    _, v = tf.TextLineReader().read(q)\n    return tf.train.batch([v], 2)\n")
    (tmp_path / "train.py").write_bytes(
        b"import tensorflow as tf\nimport inputs\r\nx = inputs.batches()\r\nwith tf.Session() as s:\r\n"
        b"    coord = tf.train.Coordinator()\r\n    tf.train.start_queue_runners(s, coord)\r\n    print s.run(x)\r\n")
    project = read_project([str(tmp_path)])
    plan = plan_rewrite(project, find_pipelines(project))
    assert [path[-9:] for path in plan.texts] == ["inputs.py"]
    (left,) = plan.left
    assert (left.site.path[-8:], left.site.line) == ("train.py", 5)
    assert "is written for Python 2" in left.reason


def test_a_file_of_python_2_that_starts_queues_of_other_projects_and_cannot_be_edited_is_left(tmp_path):
    (tmp_path / "train.py").write_bytes(
        b"import tensorflow as tf\nwith tf.Session() as s:\r\n    coord = tf.train.Coordinator()\r\n"
        b"    tf.train.start_queue_runners(s, coord)\r\n    print s.run('x:0')\r\n")
    project = read_project([str(tmp_path)])
    (left,) = plan_rewrite(project, find_pipelines(project)).left
    assert "is written for Python 2" in left.reason


def test_a_prefetch_queue_of_batches_that_other_programs_read_stays_alone(tmp_path):
    (tmp_path / "inputs.py").write_text(
        "import tensorflow as tf\n\ndef batches():\n    q = tf.train.string_input_producer(['a'])\n"
        "    _, v = tf.TextLineReader().read(q)\n    x = tf.train.batch([v], 2)\n"
        "    tf.summary.scalar('size', tf.size(x))\n    return x\n")
    (tmp_path / "train.py").write_text(
        "import tensorflow as tf\nimport inputs\nx = inputs.batches()\nwith tf.Session() as s:\n"
        "    tf.train.start_queue_runners(s)\n    print(s.run(x))\n")
    towers = ("import tensorflow as tf\nimport inputs\nx = inputs.batches()\n"
              "q = tf.contrib.slim.prefetch_queue.prefetch_queue([x], capacity=4)\na, b = q.dequeue(), q.dequeue()\n"
              "with tf.Session() as s:\n    tf.train.start_queue_runners(s)\n    print(s.run([a, b]))\n")
    (tmp_path / "towers.py").write_text(towers)
    project = read_project([str(tmp_path)])
    plan = plan_rewrite(project, find_pipelines(project))
    texts = {path.rpartition("/")[2]: text for path, text in plan.texts.items()}
    assert sorted(texts) == ["inputs.py", "train.py"]
    assert not any("queue" in text for text in texts.values())
    assert [str(each).rpartition("/")[2][:50] for each in plan.left] == [
        "towers.py:4: tf.contrib.slim.prefetch_queue: a fun"]


def test_function_that_another_file_imports_from_an_unknown_place_is_left(tmp_path):
    # Python finds it after a change of sys.path, or where the project is installed; two files have its name.
    (tmp_path / "data").mkdir()
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "inputs.py").write_text("")
    (tmp_path / "data" / "inputs.py").write_text(
        "import tensorflow as tf\ndef batches(queue):\n    _, value = tf.TextLineReader().read(queue)\n"
        "    return tf.train.batch([value], 2)\nbatch = batches(tf.train.string_input_producer(['a']))\n")
    other = tmp_path / "train.py"
    for line, is_left in (("from inputs import batches", True), ("from pack.data.inputs import batches", True),
                          ("from {}.data.inputs import batches".format(tmp_path.name), False),
                          ("import inputs as data", True), ("import inputs\n# for batches", False),
                          ("from tensorflow.inputs import batches", False)):
        other.write_text(line + ("" if "#" in line else "\nprint(batches)\n"))
        project = read_project([str(tmp_path)])
        left = [str(each) for each in plan_rewrite(project, find_pipelines(project)).left]
        assert bool(left) == is_left, (line, left)
        assert all("train.py imports 'batches', and the project does not show from which file" in each for each in left)
