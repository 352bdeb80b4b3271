"""A statement of several lines, in one line of a message."""
import pytest

from legacy_towers.compat.versions.statements import statement_in_one_line

CALL = [
    "batch = tf.train.batch(  # of four\n",
    "    [number, label],\n",
    "    # as in the paper\n",
    "    batch_size=4,\n",
    ")\n",
    "total = 1\n",
]
LONG = ["names = [\n"] + ["    'train-{:05d}-of-00128',\n".format(number) for number in range(9)] + ["]\n"]
WITH = ["with tf.Session(\n", "        config=config) as session:\n", "    session.run(\n", "        batch)\n"]
BACKSLASH = ["total = 1 + \\\n", "    number\n"]
PYTHON_2 = ["print 'a'\n", "queue = tf.FIFOQueue(\n", "    10, [tf.int32])\n"]


@pytest.mark.parametrize("lines, number, expected", [
    pytest.param(CALL, 1, "batch = tf.train.batch([number, label], batch_size=4,)", id="first line of a call"),
    pytest.param(CALL, 4, "batch = tf.train.batch([number, label], batch_size=4,)", id="a later line, as on 3.7"),
    pytest.param(CALL, 6, "total = 1", id="one line"),
    pytest.param(WITH, 1, "with tf.Session(config=config) as session:", id="head of a block"),
    pytest.param(WITH, 3, "session.run(batch)", id="indented"),
    pytest.param(BACKSLASH, 1, "total = 1 + number", id="backslash"),
    pytest.param(PYTHON_2, 2, "queue = tf.FIFOQueue(10, [tf.int32])", id="Python 2, first line"),
    pytest.param(PYTHON_2, 3, "10, [tf.int32])", id="Python 2, a later line"),
    pytest.param(["x = [\n"], 1, "x = [", id="no end"),
    pytest.param(["a = '{}'\n".format("b" * 200)], 1, "a = '{}'".format("b" * 200), id="one long line"),
    pytest.param(CALL, 7, "", id="no such line"),
])
def test_statement_around_a_line(lines, number, expected):
    assert statement_in_one_line(lines, number) == expected


def test_long_statement_of_several_lines_is_shortened():
    text = statement_in_one_line(LONG, 1)
    assert text.startswith("names = ['train-00000-of-00128', 'train-00001-of-00128',")
    assert text.endswith(" ...") and len(text) <= 124
