"""What the checks of assignments, of the global step and of its decay find, and what they leave alone."""
import pytest
from doctor import diagnosed
from doctor.checks.tower_scripts import script

MEAN = "mean = tf.get_variable('mean', [], trainable=False, initializer=tf.zeros_initializer())"
UPDATE = "; tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_sub(mean, 0.1 * (mean - tf.reduce_mean(x))))"
COUNT = "; tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(mean, tf.reduce_mean(x)))"
TRAIN = "optimizer.apply_gradients(average(tower_pairs))"
ALL_UPDATES = "[op, tf.get_collection(tf.GraphKeys.UPDATE_OPS)]"
FIRST_UPDATES = "[op, tf.get_collection(tf.GraphKeys.UPDATE_OPS, 'tower_0/')]"
CHAIN = """
before = []
def chained(x):
    with tf.control_dependencies(before):
        before.append(tf.assign_sub(mean, 0.1 * (tf.identity(mean) - tf.reduce_mean(x))))
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, before.pop(0) if len(before) > 1 else before[0])
"""

STEP = "global_step = tf.train.get_or_create_global_step()\n"
EACH = "[optimizer.apply_gradients([p for p in pairs if p[0] is not None], global_step) for pairs in tower_pairs]"
ONE_STEP = "optimizer.apply_gradients(average(tower_pairs), global_step=global_step)"

ONE = """
x = tf.constant([[1.0], [2.0]])
{before}
optimizer = tf.train.GradientDescentOptimizer({rate})
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
op = optimizer.minimize(loss{step})
{after}
"""
CLIP = "clip = tf.assign(w, tf.clip_by_value(w, -0.1, 0.1))\nsteps({})"
RATE = "rate = tf.get_variable('rate', [], trainable=False)"
ASSIGN_RATE = "set_rate = tf.assign(rate, 0.01)\nsteps({})"
CHAINED_CLIP = """
with tf.control_dependencies([op]):
    clip = tf.assign(w, tf.clip_by_value(tf.identity(w), -0.1, 0.1))
steps(clip)
"""
GAN = """
v = tf.get_variable("v", [1, 1])
other = optimizer.minimize(tf.reduce_mean(tf.matmul(x, v)), var_list=[v], global_step=global_step)
steps([op, other])
"""


def one(after, before="", rate="0.1", step=""):
    """Returns a script without towers."""
    return ONE.format(before=before, rate=rate, step=step, after=after)


def decay(counted, period, base=0.95):
    """Returns a script whose learning rate decays by `counted` within `period`."""
    rate = "tf.train.exponential_decay(0.1, {}, {}, {}, staircase=True)".format(counted, period, base)
    return one("steps(op)", STEP, rate, ", global_step=global_step")


FOUND = {
    "moving averages of all towers": ("LD210", script(before=MEAN, inside="pass" + UPDATE, fetches=ALL_UPDATES)),
    "weights are clipped beside their update": ("LD211", one(CLIP.format("[op, clip]"))),
    "the rate is set beside the step": ("LD211", one(ASSIGN_RATE.format("[set_rate, op]"), RATE, "rate")),
    "the weights are reset beside the step": ("LD211", one("steps([op, tf.assign(w, [[1.0]])])")),
    "each tower increments the global step": ("LD212", script(before=STEP, train=EACH)),
    "the script increments the global step, too": (
        "LD212", one("steps([op, tf.assign_add(global_step, 1)])", STEP, step=", global_step=global_step")),
    "decay by examples, a period in steps": ("LD213", decay("global_step * 128", 100)),
}
NOT_FOUND = {
    "moving averages of one tower": script(before=MEAN, inside="pass" + UPDATE, fetches=FIRST_UPDATES),
    "moving averages that are not updated": script(before=MEAN, inside="mean + 0"),
    "a counter of all towers": script(before=MEAN, inside="pass" + COUNT, fetches=ALL_UPDATES),
    "moving averages of towers, one after the other": script(
        before=MEAN + CHAIN, inside="chained(x)", fetches=ALL_UPDATES),
    "weights are clipped after their update": one(CHAINED_CLIP),
    "weights are clipped in another run": one(CLIP.format("op") + "\nsteps(clip)"),
    "the rate is set in another run": one(ASSIGN_RATE.format("op") + "\nsteps(set_rate)", RATE, "rate"),
    "a moving average of the weights": one(
        "average = tf.train.ExponentialMovingAverage(0.9)\nsteps([op, average.apply([w])])"),
    "momentum": one("steps(tf.train.AdamOptimizer(0.1).minimize(loss))"),
    "one increment": script(before=STEP, train=ONE_STEP),
    "each tower's training operation runs alone": script(before=STEP, train=EACH, fetches="op[1]"),
    "two optimizers of other variables": one(GAN, STEP, step=", global_step=global_step"),
    "a counter beside the global step": one(
        "count = tf.get_variable('count', [], tf.int64, tf.zeros_initializer(), trainable=False)\n"
        "steps([op, tf.assign_add(count, 1)])", STEP, step=", global_step=global_step"),
    "decay by examples, a period in examples": decay("global_step * 128", 60000),
    "decay by steps": decay("global_step", 100),
    "a small decay in each step": decay("global_step", 1, 0.9999),
    "a small decay for each batch": decay("global_step * 128", 128, 0.9999),
}


@pytest.mark.parametrize("code, source", FOUND.values(), ids=FOUND.keys())
def test_wrong_assignments_and_counts_of_steps_are_found(code, source):
    assert diagnosed.codes(source) == [code]


@pytest.mark.parametrize("source", NOT_FOUND.values(), ids=NOT_FOUND.keys())
def test_correct_assignments_and_counts_of_steps_give_no_finding(source):
    assert diagnosed.codes(source) == []
