"""Whole scripts in the idioms of 2016 to 2019: rewritten, run before and after, and compared; or left, with the reason.

The scripts of the folder scripts/ are rewritten. Both versions run by `legacy-towers run`, and what their sessions read
and compute is the same, bit for bit, with the order fixed; so are two epochs of each pipeline.
"""
import os
import sys
import textwrap

import preloaded
import pytest
from pipeline_data import write_data

from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import read_project
from legacy_towers.migrate.source.rewrite.plan import plan_rewrite
from legacy_towers.migrate.verify import compare
from legacy_towers.migrate.verify.command import Command
from legacy_towers.migrate.verify.verify import verify

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scripts")
SINGLE = sorted(name for name in os.listdir(SCRIPTS) if name.endswith(".py"))
QUEUES = (
    "string_input_producer(", "slice_input_producer(", "start_queue_runners", "train.batch(", "shuffle_batch(",
    "_batch_join(", "RecordReader(", "LineReader(",
)
# name -> the words that run it in its folder
PROJECTS = {"in_modules": ["train.py"], "in_package": ["-m", "in_package.train"]}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    write_data(folder)
    return str(folder)


@pytest.fixture(scope="module")
def verified(data):
    """Returns a function that rewrites a path and verifies it with the words of a command."""

    def verify_path(path, words):
        project = read_project([path])
        rewriting = plan_rewrite(project, find_pipelines(project))
        assert not rewriting.left, "\n".join(str(each) for each in rewriting.left)
        assert rewriting.texts
        texts = {os.path.abspath(each): text for each, text in rewriting.texts.items()}
        command = Command(" ".join(words), {}, [], words + [data])
        return rewriting, verify(command, [path], texts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "executable", preloaded.executable())
        patch.setattr(compare, "is_run_as_it_is", lambda *records: False)
        patch.chdir(SCRIPTS)
        yield verify_path


def without_queues(rewriting):
    """Whether no name of a queue is left in the new texts."""
    return not any(name in text for text in rewriting.texts.values() for name in QUEUES)


@pytest.mark.parametrize("name", SINGLE)
def test_a_script_reads_and_computes_the_same_after_its_rewriting(name, verified):
    rewriting, found = verified(name, [name])
    assert found.verdict == "proven", "{}\n{}".format(found, "\n".join(rewriting.texts.values()))
    assert without_queues(rewriting)


@pytest.mark.parametrize("name", sorted(PROJECTS))
def test_a_project_reads_and_computes_the_same_after_its_rewriting(name, verified, monkeypatch):
    words = PROJECTS[name]
    monkeypatch.chdir(os.path.join(SCRIPTS, name) if words[0] != "-m" else SCRIPTS)
    rewriting, found = verified("." if words[0] != "-m" else name, words)
    assert found.verdict == "proven", "{}\n{}".format(found, "\n".join(rewriting.texts.values()))
    assert without_queues(rewriting)


# id -> (what is between the reader and the session, part of the reason)
LEFT = {
    "a queue that Python fills": ("""
        queue = tf.FIFOQueue(10, [tf.int32], [[]])
        number = tf.placeholder(tf.int32, [])
        put = queue.enqueue([number])
        batch = queue.dequeue_many(3)
    """, "tf.FIFOQueue: the source does not show its producers"),
    "the number of records of the reader": ("""
        names = tf.train.string_input_producer(["a", "b"])
        reader = tf.TextLineReader()
        _, value = reader.read(names)
        done = reader.num_records_produced()
        batch = tf.train.batch([value, done], 4)
    """, "tf.ReaderBase.num_records_produced: it uses the position of its reader"),
    "a queue by priority": ("""
        queue = tf.PriorityQueue(10, [tf.string], [[]])
        names = tf.train.string_input_producer(["a", "b"])
        _, value = tf.TextLineReader().read(names)
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([tf.constant(1, tf.int64), value])]))
        batch = queue.dequeue_many(4)
    """, "tf.PriorityQueue: it sorts examples by priority"),
    "the size of the queue": ("""
        names = tf.train.string_input_producer(["a", "b"])
        _, value = tf.TextLineReader().read(names)
        waiting = names.size()
        batch = tf.train.batch([value, waiting], 4)
    """, "tf.QueueBase.size: the size of its queue is read"),
    "a variable that is read for each example": ("""
        names = tf.train.string_input_producer(["a", "b"])
        _, value = tf.TextLineReader().read(names)
        scale = tf.Variable(1.0)
        batch = tf.train.batch([tf.string_to_number(value) * scale], 4)
    """, "it computes examples with 'scale', which is a variable (tf.Variable)"),
    "a placeholder": ("""
        path = tf.placeholder(tf.string, [1])
        names = tf.train.string_input_producer(path)
        _, value = tf.TextLineReader().read(names)
        batch = tf.train.batch([value], 4)
    """, "it computes examples with 'path', which is fed (tf.placeholder)"),
    "a function that another project may call": ("""
        def batches(queue):
            _, value = tf.TextLineReader().read(queue)
            return tf.train.batch([value], 4)
    """, "tf.TextLineReader: the source does not show its producers"),
}
SESSION = """
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        for _ in range(3):
            print(session.run(batch))
        coordinator.request_stop()
        coordinator.join(threads)
"""


@pytest.mark.parametrize("name", sorted(LEFT))
def test_a_script_that_is_not_regular_is_left_with_the_reason(name, tmp_path):
    source, reason = LEFT[name]
    path = tmp_path / "train.py"
    path.write_text("import tensorflow as tf\n" + textwrap.dedent(source) + textwrap.dedent(SESSION))
    project = read_project([str(path)])
    rewriting = plan_rewrite(project, find_pipelines(project))
    assert not rewriting.texts and not rewriting.rewritten
    assert any(reason in str(each) for each in rewriting.left), rewriting.left
