"""Scripts before and after a rewriting: what their sessions read is compared."""
import sys
import textwrap

import pytest

from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError
from legacy_towers.migrate.proof.scripts import verify_command

BEFORE = """
    import sys
    import tensorflow as tf

    def read():
        names = tf.train.string_input_producer(["numbers.csv"], num_epochs=2)
        _, line = tf.TextLineReader().read(names)
        number, x = tf.decode_csv(line, [[0], [0.0]])
        return tf.train.shuffle_batch([number, x + tf.random_uniform([])], 4, 50, 10, num_threads=2)

    numbers, x = read()
    total = tf.reduce_sum(tf.cast(numbers, tf.float32) + x)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            for _ in range(int(sys.argv[1])):
                session.run(total)
        except tf.errors.OutOfRangeError:
            pass
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=5)
"""
AFTER = """
    import sys
    import tensorflow as tf

    def parse(line):
        number, x = tf.decode_csv(line, [[0], [0.0]])
        return x + tf.random_uniform([]), number

    def read():
        dataset = tf.data.TextLineDataset(["numbers.csv"]){changed}.map(parse).shuffle(50).repeat(2)
        dataset = dataset.batch(4, drop_remainder=True).prefetch(1)
        return tf.data.make_one_shot_iterator(dataset).get_next()

    x, numbers = read()
    total = tf.reduce_sum(tf.cast(numbers, tf.float32) + x)
    with tf.Session() as session:
        try:
            for _ in range(int(sys.argv[1])):
                session.run(total)
        except tf.errors.OutOfRangeError:
            pass
"""


def trees(tmp_path, before, after, script="train.py"):
    for name, source in (("before", before), ("after", after)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / script).write_text(textwrap.dedent(source))
        (folder / "numbers.csv").write_text("".join("{},{}\n".format(number, number / 4) for number in range(11)))
    return str(tmp_path / "before"), str(tmp_path / "after")


def rewritten(changed=""):
    return AFTER.format(changed=changed)


@pytest.mark.slow
def test_the_same_examples_are_proven_where_shuffling_and_random_numbers_are_fixed(tmp_path):
    plain = sys.executable if tf.__version__.startswith("1.15") else None
    proof = verify_command(*trees(tmp_path, BEFORE, rewritten()), command="train.py 100", python=plain)
    assert (proof.verdict, proof.reason) == ("proven", ""), proof
    assert proof.compared.startswith(
        "by legacy-towers run: the same 20 examples in 5 session runs, in the same order, bit for bit, where "
    )
    for part in ("queues do not shuffle", "one thread runs each operation", "random operations have fixed seeds"):
        assert part in proof.compared
    assert proof.compared.count("as the script is, the same numbers and shapes of batches") == (2 if plain else 1)
    assert len(proof.records) == (8 if plain else 4)
    assert proof.to_json()["records"][0]["examples"] == 20 and str(proof).startswith("PROVEN: by legacy-towers run")


@pytest.mark.slow
def test_another_record_is_different(tmp_path):
    proof = verify_command(*trees(tmp_path, BEFORE, rewritten(".skip(1)")), command="train.py 1")
    assert proof.verdict == "different"
    assert "by legacy-towers run, session run 1 reads " in proof.reason
    assert "int32[4] [0 1 2 3]" in proof.reason and "int32[4] [1 2 3 4]" in proof.reason


@pytest.mark.parametrize("before, after, verdict, reason", [
    ("raise ValueError('no data')", "print()", "not compared", "fails before the rewriting: "),
    ("print()", "print()", "not compared", "no session.run reads from a queue or an iterator"),
], ids=["a script that fails before", "a script that reads nothing"])
def test_scripts_that_are_not_compared(before, after, verdict, reason, tmp_path):
    proof = verify_command(*trees(tmp_path, before, after), command="train.py")
    assert proof.verdict == verdict and reason in proof.reason
    assert "no data" in proof.reason or "no data" not in before


@pytest.mark.parametrize("command, python, problem", [
    ("missing.py --steps 3", None, "there is no file 'missing.py' in "),
    ("train.py", "/no/such/python", "there is no such program"),
])
def test_commands_that_can_not_be_run(command, python, problem, tmp_path):
    with pytest.raises(ArgumentError, match=problem):
        verify_command(*trees(tmp_path, BEFORE, rewritten()), command=command, python=python)
