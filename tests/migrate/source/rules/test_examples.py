"""The example of each rule runs before and after the change, and as rewritten, and gives what the rule promises."""
import contextlib
import io
import os
import threading

import pytest
from queue_inputs import examples, run_to_end

from legacy_towers.compat import tf
from legacy_towers.migrate.source import rules as _registered  # noqa: F401  # registers the rules
from legacy_towers.migrate.source.pipelines import find_pipelines
from legacy_towers.migrate.source.project import read_project
from legacy_towers.migrate.source.rewrite.plan import plan_rewrite
from legacy_towers.migrate.source.rules.registry import SAME_OUTPUT, SAME_SEQUENCE, SAME_SET, rules


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """Returns what examples find: files, labels, and functions that parse."""
    folder = str(tmp_path_factory.mktemp("inputs"))

    def path(name):
        return os.path.join(folder, name)

    for number in range(2):
        with tf.io.TFRecordWriter(path("{}.tfrecord".format(number))) as writer:
            for each in range(10 * number, 10 * number + 5 + number):
                feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[each]))
                writer.write(tf.train.Example(features=tf.train.Features(feature={"id": feature})).SerializeToString())
        with open(path("{}.csv".format(number)), "w") as file:
            file.write("id,x\n" + "".join("{},0.5\n".format(each) for each in range(4 * number, 4 * number + 3)))
        with open(path("{}.bin".format(number)), "wb") as file:
            file.write(bytes(range(16 * number, 16 * number + 16)))
    with tf.Graph().as_default(), tf.Session() as session:
        for number in range(6):
            content = session.run(tf.image.encode_png(tf.fill([2, 2, 3], tf.constant(number, tf.uint8))))
            with open(path("{}.png".format(number)), "wb") as file:
                file.write(content)

    def parse(serialized):
        return tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]

    def parse_many(serialized):
        return tf.parse_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]

    return {
        "tf": tf, "records": [path("0.tfrecord"), path("1.tfrecord")], "pattern": path("*.tfrecord"),
        "texts": [path("0.csv"), path("1.csv")], "binaries": [path("0.bin"), path("1.bin")],
        "images": [path("{}.png".format(number)) for number in range(6)], "labels": list(range(6)),
        "parse": parse, "parse_many": parse_many,
    }


def batches(code, names, most):
    with tf.Graph().as_default():
        namespace = dict(names)
        exec(code, namespace)
        return run_to_end(namespace["batch"], most)


def printed(code, names):
    before = set(threading.enumerate())
    out = io.StringIO()
    with tf.Graph().as_default(), contextlib.redirect_stdout(out):
        exec(code, dict(names))
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
    return out.getvalue()


# What examples find, for those who read their source only.
_HEAD = """from legacy_towers.compat import tf


def parse(serialized):
    return tf.parse_single_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]


def parse_many(serialized):
    return tf.parse_example(serialized, {"id": tf.FixedLenFeature([], tf.int64)})["id"]


"""
# Rules whose example is not rewritten, with the call that stays and the beginning of the reason.
STAYS = {
    "LT206": "tf.QueueBase.dequeue_many: it dequeues several elements",
    "LT210": "tf.ReaderBase.num_records_produced: it uses the position",
    "LT309": "tf.contrib.training.batch_sequences_with_states: it keeps the states",
    "LT310": "tf.contrib.training.stratified_sample: it draws examples",
    "LT311": "tf.contrib.training.rejection_sample: it draws examples",
    "LT312": "tf.QueueBase.dequeue_many: it dequeues several elements",
    "LT404": "tf.PriorityQueue: it sorts examples",
    "LT405": "tf.QueueBase.from_list: it dequeues from one of several queues",
    "LT407": "tf.QueueBase.enqueue_many: it puts examples into a queue by an operation",
    "LT409": "tf.QueueBase.dequeue_many: it dequeues several elements",
    "LT410": "tf.QueueBase.dequeue_up_to: it dequeues several elements",
    "LT411": "tf.QueueBase.dequeue_many: it dequeues several elements",
    "LT412": "tf.QueueBase.close: the operation that closes the queue",
    "LT413": "tf.Session.run: Python code fills its queue",
    "LT414": "tf.StagingArea: it overlaps copies",
    "LT415": "tf.MapStagingArea: it overlaps copies",
    "LT513": "tf.Session.run: Python code fills its queue",
    "LT608": "tf.contrib.learn.read_batch_examples: tf.contrib.learn makes its queues",
    "LT609": "tf.estimator.inputs.numpy_input_fn: it reads Python arrays",
}


def rewritten(code, folder):
    """Returns what `migrate --write` makes of an example, or the reasons why it stays."""
    path = str(folder / "script.py")
    with open(path, "w") as file:
        file.write(_HEAD + code)
    project = read_project([path])
    plan = plan_rewrite(project, find_pipelines(project))
    return plan.texts.get(path, ""), [str(each).split(": ", 1)[1] for each in plan.left]


# Rules of names that legacy_towers.compat does not support on TensorFlow 2.
ONLY_ON_TF_1 = ("LT608",)


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.code)
def test_the_example_of_a_rule_gives_what_it_promises(rule, names, tmp_path):
    example = rule.example
    text, left = rewritten(example.before, tmp_path)
    assert bool(text) == (rule.code not in STAYS)
    assert [each for each in left if not each.startswith(STAYS.get(rule.code, "?"))] == []
    if rule.code in ONLY_ON_TF_1 and not tf.__version__.startswith("1."):
        assert batches(example.after, names, 200)
        return
    if example.same == SAME_OUTPUT:
        before = printed(example.before, names)
        assert before and printed(example.after, names) == before
        assert not text or printed(text, names) == before
        return
    most = example.steps or (200 if example.same in (SAME_SEQUENCE, SAME_SET) else 3)
    before = batches(example.before, names, most)
    for code in [example.after] + ([text] if text else []):
        after = batches(code, names, most)
        if example.same == SAME_SEQUENCE:
            assert before and after == before
        elif example.same == SAME_SET:
            assert before and examples(after) == examples(before)
        else:
            assert len(before) == len(after) == most
