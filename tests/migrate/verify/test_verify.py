"""Right and wrong rewritings of a script, run by `legacy-towers run` and by TensorFlow 1.15."""
import json
import os
import sys
import textwrap

import preloaded
import pytest

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.migrate.verify import comparisons
from legacy_towers.migrate.verify.command import Command
from legacy_towers.migrate.verify.verification import Place
from legacy_towers.migrate.verify.verify import verify

SCRIPT = """
    import os
    import sys
    import numpy
    import tensorflow as tf

    def names():
        folder = os.path.dirname(os.path.abspath(__file__))
        return [os.path.join(folder, "data", "%d.csv" % number) for number in range(3)]

    def decode(line):
        return tf.decode_csv(line, [[0], [0], [0.0]])

    def noise():
        return tf.reshape(tf.py_func(lambda: numpy.float32(numpy.random.uniform()), [], tf.float32), [])

    def read():
        {read}

    number, label, x = read()
    weight = tf.get_variable("weight", [], initializer=tf.random_normal_initializer())
    loss = tf.reduce_mean(tf.square(weight * x - tf.cast(label, tf.float32)))
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            for _ in range(int(sys.argv[1])):
                session.run([train, loss, number])
        except tf.errors.OutOfRangeError:
            pass
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=5)
"""
QUEUE = """
        queue = tf.train.string_input_producer(names(), num_epochs=2, shuffle=False)
        _, line = tf.TextLineReader().read(queue)
        return tf.train.batch(decode(line), 4, capacity=40, allow_smaller_final_batch=True)
"""
ENDLESS = QUEUE.replace("num_epochs=2, ", "").replace(", allow_smaller_final_batch=True", "")
SHUFFLED = QUEUE.replace(", shuffle=False", "").replace(
    "batch(decode(line), 4, capacity=40", "shuffle_batch(decode(line), 4, 40, 10, num_threads=2")
RANDOM = SHUFFLED.replace("(decode(line), 4", "(decode(line)[:2] + [tf.random_uniform([])], 4")
JOINED = """
        queue = tf.train.string_input_producer(names(), num_epochs=2, shuffle=False)
        parts = [decode(tf.TextLineReader().read(queue)[1]) for _ in range(2)]
        return tf.train.batch_join(parts, 4, capacity=40)
"""
DATASET = """
        dataset = tf.data.Dataset.from_tensor_slices(names()).repeat(2)
        dataset = dataset.flat_map(tf.data.TextLineDataset).map(decode, num_parallel_calls=2)
        return tf.data.make_one_shot_iterator(dataset.batch(4).prefetch(1)).get_next()
"""
REPEATED = DATASET.replace("repeat(2)", "repeat()").replace("batch(4)", "batch(4, drop_remainder=True)")
SHUFFLING = DATASET.replace(".repeat(2)", ".shuffle(3).repeat(2)").replace("batch(4)", "shuffle(40).batch(4)")
DRAWING = SHUFFLING.replace(
    "map(decode,", "map(lambda line: tuple(decode(line)[:2]) + (tf.random_uniform([]),),")
INTERLEAVED = DATASET.replace(
    "flat_map(tf.data.TextLineDataset)", "interleave(tf.data.TextLineDataset, cycle_length=2, block_length=1)"
).replace("batch(4)", "batch(4, drop_remainder=True)")


# Four threads that compute, each by operations and Python functions of its own.
FLIPPED = """
        queue = tf.train.string_input_producer(names(), num_epochs=2, shuffle=False)
        _, line = tf.TextLineReader().read(queue)
        parts = []
        for _ in range(4):
            number, label, x = decode(line)
            x += noise()
            parts.append([number, label, x + tf.random_uniform([]) + tf.cast(tf.random_uniform([]) < 0.5, tf.float32)])
        return tf.train.batch_join(parts, 4, capacity=40)
"""
FLIPPED_BY_MAP = """
        def parse(line):
            number, label, x = decode(line)
            x += noise()
            return number, label, x + tf.random_uniform([]) + tf.cast(tf.random_uniform([]) < 0.5, tf.float32)

        dataset = tf.data.Dataset.from_tensor_slices(names()).repeat(2).flat_map(tf.data.TextLineDataset)
        dataset = dataset.map(parse, num_parallel_calls=4).batch(4, drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()
"""


# The longest example of a batch decides its shape, and the order of the files decides which that is.
PADDED = """
        queue = tf.train.string_input_producer(names(), num_epochs=2)
        _, line = tf.TextLineReader().read(queue)
        number, label, x = decode(line)
        return tf.train.batch([tf.fill([number % 5 + 1], number), label, x], 4, capacity=40, dynamic_pad=True)
"""
PADDED_BY_DATASET = """
        def parse(line):
            number, label, x = decode(line)
            return tf.fill([number % 5 + 1], number), label, x

        dataset = tf.data.Dataset.from_tensor_slices(names()).shuffle(3).repeat(2)
        dataset = dataset.flat_map(tf.data.TextLineDataset).map(parse)
        dataset = dataset.padded_batch(4, ([None], [], []), drop_remainder=True)
        return tf.data.make_one_shot_iterator(dataset).get_next()
"""


# Single examples: a reader without a batch, whose line the graph parses, or a dataset.
SINGLE = """
        queue = tf.train.string_input_producer(names(), num_epochs=2, shuffle=False)
        return decode(tf.TextLineReader().read(queue)[1])
"""
SINGLE_BY_DATASET = """
        dataset = tf.data.Dataset.from_tensor_slices(names()).repeat(2)
        dataset = dataset.flat_map(tf.data.TextLineDataset).map(decode)
        return tf.data.make_one_shot_iterator(dataset).get_next()
"""

@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    (folder / "data").mkdir()
    for shard in range(3):
        rows = ["{0},{1},{2}".format(shard * 10 + row, row % 3, row / 4) for row in range(4 + shard % 2)]
        (folder / "data" / "{}.csv".format(shard)).write_text("\n".join(rows) + "\n")
    return folder


@pytest.fixture(scope="module")
def recorded():
    return {}


@pytest.fixture
def verified(project, recorded, monkeypatch):
    """Returns a function that verifies `read` functions; a run before the rewriting is shared by the tests."""
    run = comparisons.run

    def shared(given, version, python, order, is_parsed=False):
        if version == "after":
            return run(given, version, python, order, is_parsed)
        key = (given.command.text, (project / "train.py").read_text(), python, order, is_parsed)
        if key not in recorded:
            recorded[key] = run(given, version, python, order, is_parsed)
        return recorded[key]

    monkeypatch.chdir(project)
    monkeypatch.setattr(sys, "executable", preloaded.executable())
    monkeypatch.setattr(comparisons, "run", shared)

    def verify_reads(before, after, steps=30, places=(), plain_too=False):
        (project / "train.py").write_text(script(before))
        command = Command("train.py {}".format(steps), {}, [], ["train.py", str(steps)])
        plain = preloaded.executable() if plain_too and tf.__version__.startswith("1.15") else None
        return verify(command, ["train.py"], {os.path.abspath("train.py"): script(after)}, places, plain)

    return verify_reads


def script(read):
    return textwrap.dedent(SCRIPT).replace("    {read}", textwrap.indent(textwrap.dedent(read).strip("\n"), "    "))


RIGHT = [
    ("epochs", QUEUE, DATASET, "the same 26 examples in 7 session runs, in the same order, bit for bit"),
    ("no end", ENDLESS, REPEATED, "24 examples in 6 batches, in the same order, bit for bit"),
    ("shuffled", SHUFFLED, SHUFFLING, "the shuffle of pipeline 1 moves an example by "),
    ("padded in a shuffled order", PADDED, PADDED_BY_DATASET, "the shuffle of pipeline 1 moves an example by "),
    ("random numbers", RANDOM, DRAWING, "random operations have fixed seeds"),
    ("random numbers of several threads", FLIPPED, FLIPPED_BY_MAP, "draw the same numbers for each example"),
    ("single examples", SINGLE, SINGLE_BY_DATASET, "26 examples in 26 batches, in the same order, bit for bit"),
    ("readers joined", JOINED, INTERLEAVED, "examples, each as often, in another order, which is not determined"),
]
WRONG = [
    ("a lost remainder", QUEUE, DATASET.replace("batch(4)", "batch(4, drop_remainder=True)"), "7 session runs before"),
    ("a remainder that was dropped", JOINED, INTERLEAVED.replace(", drop_remainder=True", ""), "session run"),
    ("another order", QUEUE, DATASET.replace("names()", "names()[::-1]"), "session run 1 reads"),
    ("a column that is lost", QUEUE, DATASET.replace(
        "map(decode,", "map(lambda line: (decode(line)[0], 0, decode(line)[2]),"), "session run 1 reads"),
    ("columns that are exchanged", QUEUE, DATASET.replace("return tf", "found = tf") + """
        return found[1], found[0], found[2]
    """, "session run 1 computes"),
    ("an epoch less", QUEUE, DATASET.replace("repeat(2)", "repeat(1)"), "session run 4 reads "),
    ("an end", ENDLESS, REPEATED.replace("repeat()", "repeat(2)"), "there are 30 session runs before"),
    ("batches that end with an epoch", ENDLESS, REPEATED.replace(".repeat()", "").replace(
        "drop_remainder=True)", "drop_remainder=True).repeat()"), "session run 4 reads"),
    ("another size", QUEUE, DATASET.replace("batch(4)", "batch(3)"), "int32[4]"),
    ("another dtype", QUEUE, DATASET.replace(
        "map(decode,", "map(lambda line: (decode(line)[0], tf.cast(decode(line)[1], tf.int64), decode(line)[2]),"),
     "int64[4]"),
    ("an example less", QUEUE, DATASET.replace(".map(decode", ".skip(1).map(decode"), "session run 1 reads"),
    ("a file less, of shuffled ones", SHUFFLED, SHUFFLING.replace("names()", "names()[1:]"), "session run"),
    ("a shuffle that is lost", SHUFFLED, DATASET, "examples are shuffled before, and not after"),
    ("a shuffle of files only", SHUFFLED, SHUFFLING.replace(".shuffle(40)", ""),
     "pipeline 1 is shuffled less: "),
    ("an example twice, joined", JOINED, INTERLEAVED.replace(".map(decode", ".concatenate(tf.data.TextLineDataset("
     "names()[0]).take(1)).map(decode"), "0 of 26 examples before are not read as often after, 1 of 27 after"),
    ("random numbers of several threads that are lost", FLIPPED, FLIPPED_BY_MAP.replace(
        " + tf.cast(tf.random_uniform([]) < 0.5, tf.float32)", ""), "26 of 26 examples before are not read as often"),
    ("single examples of another value", SINGLE, SINGLE_BY_DATASET.replace(
        "map(decode)", "map(lambda line: tuple(decode(line)[:2]) + (2 * decode(line)[2],))"), "session run 2 reads"),
    ("an operation that fails", QUEUE, DATASET.replace("names()", "names() + ['missing']"),
     "fails after the rewriting"),
]


@pytest.mark.parametrize("before, after, sentence", [each[1:] for each in RIGHT], ids=[each[0] for each in RIGHT])
def test_a_right_rewriting_is_proven(before, after, sentence, verified):
    plain_too = before in (QUEUE, SHUFFLED)  # the runs by plain TensorFlow 1.15 take as long again
    found = verified(before, after, plain_too=plain_too)
    assert (found.verdict, found.reason) == ("proven", ""), str(found)
    runners = 2 if plain_too and tf.__version__.startswith("1.15") else 1
    assert len([each for each in found.checks if sentence in each.sentence]) == runners, str(found)
    assert json.loads(json.dumps(found.to_json()))["verdict"] == "proven"
    assert str(found).startswith("train.py 30: PROVEN: the same examples after the rewriting\n")


@pytest.mark.parametrize("before, after, reason", [each[1:] for each in WRONG], ids=[each[0] for each in WRONG])
def test_a_wrong_rewriting_is_different(before, after, reason, verified):
    found = verified(before, after)
    assert found.verdict == "different" and reason in found.reason, str(found)


@pytest.mark.parametrize("before, after, reason", [
    (QUEUE, DATASET.replace("repeat(2)", "repeat(3)"), "batch 7 reads"),
    (QUEUE, DATASET.replace("names()", "names()[:2]"), "batch 3 reads"),
    (ENDLESS, REPEATED.replace("repeat()", "repeat(2)"), "has no end before, and ends after 6 batches after"),
    (FLIPPED, FLIPPED_BY_MAP.replace(", drop_remainder=True", ""), "there are 6 batches before"),
], ids=["an epoch more", "a file less", "an end", "a remainder that was dropped, with random numbers"])
def test_few_steps_prove_whole_epochs(before, after, reason, verified):
    found = verified(before, after, steps=1)
    assert found.verdict == "different" and reason in found.reason
    assert [each.verdict for each in found.checks[:2]] == ["proven", "different"]


def test_a_pipeline_that_the_command_does_not_read_is_not_compared(verified, project):
    places = [Place("the queue of evaluation", [(str(project / "train.py"), 999, 999)])]
    found = verified(QUEUE, DATASET, places=places)
    assert found.verdict == "not compared"
    assert found.reason.endswith("the command does not read the queue of evaluation, which is rewritten")


@pytest.mark.parametrize("before, reason", [
    ("raise ValueError('no data')", "the command fails before the rewriting: "),
    ("print()", "no session.run reads from a queue or an iterator"),
], ids=["a script that fails before", "a script that reads nothing"])
def test_commands_that_are_not_compared(before, reason, project, monkeypatch):
    monkeypatch.chdir(project)
    monkeypatch.setattr(sys, "executable", preloaded.executable())
    (project / "other.py").write_text(before)
    found = verify(Command("other.py", {}, [], ["other.py"]), ["other.py"], {})
    assert found.verdict == "not compared" and reason in found.reason
    assert "no data" in found.reason or "no data" not in before


def test_a_file_that_the_command_does_not_import_is_not_compared(verified, project):
    (project / "input.py").write_text("import tensorflow as tf\n")
    (project / "train.py").write_text(script(QUEUE))
    command = Command("train.py 30", {}, [], ["train.py", "30"])
    found = verify(command, ["."], {str(project / "input.py"): "import tensorflow as tf\n\n"})
    assert found.verdict == "not compared"
    assert found.reason.endswith("the command does not import input.py, which is rewritten")


def test_a_command_that_does_not_end_is_named_with_the_option_for_more_time(project, monkeypatch):
    monkeypatch.chdir(project)
    monkeypatch.setattr(sys, "executable", preloaded.executable())
    (project / "other.py").write_text("import time\ntime.sleep(60)\n")
    found = verify(Command("other.py --endless", {}, [], ["other.py"]), ["other.py"], {}, timeout=0.5)
    assert found.verdict == "not compared"
    assert found.reason.endswith("the command fails before the rewriting: 'other.py --endless' did not end within 0.5 "
                                 "seconds: give it fewer steps, or more time by --timeout SECONDS")


def test_a_missing_script_is_an_error(project, monkeypatch):
    monkeypatch.chdir(project)
    with pytest.raises(ArgumentError, match="there is no file 'missing.py' in "):
        verify(Command("missing.py", {}, [], ["missing.py"]), ["."], {})
