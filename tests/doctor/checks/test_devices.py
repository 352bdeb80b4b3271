"""What the checks of devices find, and what they leave alone."""
import pytest
from doctor import diagnosed

TOWERS = """
optimizer = tf.train.GradientDescentOptimizer(0.1)
data = tf.random_uniform([8, 1])
gradients, losses = [], []
for i in range(2):
    with tf.name_scope("tower_%d" % i):
        {before}
        with tf.control_dependencies({after}):
            x = tf.identity(tf.split(data, 2)[i]) {plus}
        h = tf.matmul(x, w, name="h")
        losses.append(tf.reduce_mean(tf.square(h - 1.0), name="loss"))
        gradients.append(optimizer.compute_gradients(losses[-1], [w])[0][0])
steps(optimizer.apply_gradients([(tf.add_n(gradients) / 2.0, w)]))
"""


def towers(before="pass", after="[]", plus=""):
    return TOWERS.format(before=before, after=after, plus=plus)


SERIAL = {
    "after the loss of the tower before": (towers(after="losses"), "loss", True),
    "after its gradients": (towers(after="gradients"), "", True),
    "after an update that it makes": (
        towers(before="if i: moved = tf.assign_add(tf.get_variable('n', []), losses[0])", after="[moved] if i else []"),
        "loss", False),
    "by data": (towers(plus="+ (losses[0] if i else 0.0)"), "loss", False),
}
PARALLEL = {
    "independent towers": towers(),
    "all after one operation of no tower": towers(after="[data]"),
    "a tower whose last operations wait": TOWERS.format(before="pass", after="[]", plus="").replace(
        "h - 1.0", "h - (tf.stop_gradient(losses[0]) if i else 1.0)").replace(
        'h = tf.matmul(x, w, name="h")', "h = tf.matmul(tf.tanh(tf.sin(tf.cos(tf.tanh(x)))), w)"),
    "stages of one model": """
x = tf.random_uniform([8, 1])
for i in range(2):
    with tf.name_scope("tower_%d" % i):
        x = tf.tanh(tf.matmul(x, tf.get_variable("w%d" % i, [1, 1])))
steps(tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(x)))
""",
}


@pytest.mark.parametrize("source, waits_for, by_control", SERIAL.values(), ids=SERIAL.keys())
def test_towers_that_wait_for_another_are_reported_with_the_share(source, waits_for, by_control):
    (found,) = diagnosed.findings(source, ["LD501"])
    assert found.check.severity == "warning"
    assert "% of the operations of tower_1 run only after operations of tower_0: 'tower_1/" in found.evidence.message
    assert ("(a control input)" in found.evidence.message) == by_control and waits_for in found.evidence.message
    lines = [diagnosed.line_of(source, text) for text in ("x = tf.identity", "name_scope")]
    assert any("examined.py, line {}".format(line) in found.evidence.line for line in [lines[0], lines[1] + 1])


@pytest.mark.parametrize("source", PARALLEL.values(), ids=PARALLEL.keys())
def test_towers_that_can_overlap_are_not(source):
    assert diagnosed.findings(source, ["LD501"]) == []
