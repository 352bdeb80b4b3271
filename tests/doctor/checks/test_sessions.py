"""What the checks of sessions and of their runs find, and what they leave alone."""
import pytest
from doctor import diagnosed

X = "x = tf.placeholder(tf.float32, [None])\nop = train(x)\n"
LOOP = X + """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range({count}):
        {body}
"""
SUMMARIES = X + """
for i in range({summaries}):
    tf.summary.{kind}("s%d" % i, {value})
merged = tf.summary.merge_all()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(10):
        sess.run({fetches}, {{x: [1.0]}})
"""


def loop(body, count=8):
    return LOOP.format(body=body, count=count)


def summaries(count=4, kind="histogram", value="w", fetches="[op, merged]"):
    return SUMMARIES.format(summaries=count, kind=kind, value=value, fetches=fetches)


MUST_GIVE = {
    "assign in the loop": (loop("sess.run(tf.assign(w, [[float(i)]]))"), ["LD401"]),
    "a metric in the loop": (loop("sess.run(op, {x: [1.0]}); tf.reduce_mean(x).eval({x: [2.0]})"), ["LD401"]),
    "sessions in a loop": (
        "kept = []\nfor i in range(5):\n    kept.append(tf.Session())\n    kept[-1].run(tf.no_op('n%d' % i))\n",
        ["LD401", "LD402"],
    ),
    "histograms in each step": (summaries(), ["LD403"]),
}
MUST_NOT_GIVE = {
    "a graph that stays": loop("sess.run(op, {x: [float(i)]})"),
    "reading a variable in the loop": loop("w.eval(); sess.run(w)"),
    "operations between the first runs": X + """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(2):
        sess.run(tf.assign(w, [[1.0]]))
    for i in range(8):
        sess.run(op, {x: [1.0]})
""",
    "sessions that are closed": X + """
init = tf.global_variables_initializer()
for i in range(6):
    with tf.Session() as sess:
        sess.run(init)
""",
    "sessions that are closed by close()": X + """
for i in range(6):
    sess = tf.InteractiveSession()
    sess.run(w.initializer)
    sess.close()
""",
    "one session that stays open": X + "sess = tf.Session()\nsess.run(w.initializer)\n",
    "scalars in each step": summaries(kind="scalar", value="tf.reduce_sum(w)"),
    "one histogram in each step": summaries(count=1),
    "histograms in some steps": summaries(fetches="[op, merged] if i % 5 == 0 else op"),
    "histograms without training": summaries(fetches="merged"),
}


@pytest.mark.parametrize("name", MUST_GIVE)
def test_checks_of_sessions_that_must_find_something(name):
    source, expected = MUST_GIVE[name]
    assert diagnosed.codes(source) == expected


@pytest.mark.parametrize("name", MUST_NOT_GIVE)
def test_checks_of_sessions_that_must_find_nothing(name):
    assert diagnosed.codes(MUST_NOT_GIVE[name]) == []


def test_evidence_of_a_growing_graph_is_the_line_in_the_loop():
    source = loop("sess.run(tf.assign(w, [[float(i)]]))")
    (found,) = diagnosed.findings(source)
    assert "examined.py, line {}: ".format(diagnosed.line_of(source, "tf.assign")) in found.evidence.line
    # The first run initializes, and the growth before each of the 8 others is counted.
    assert found.evidence.message == (
        "this line added 16 operations in 8 of 9 session runs, Assign_7/value for example: the graph grows in the loop")
