"""What the checks of towers and of their updates find, and what they leave alone."""
import pytest
from doctor import diagnosed

BEGIN = """
data = tf.data.Dataset.from_tensor_slices(np.ones([64, 1], np.float32)).repeat()
batches = tf.data.make_one_shot_iterator(data.batch(4)) if hasattr(tf.data, "make_one_shot_iterator") else (
    data.batch(4).make_one_shot_iterator())
optimizer = tf.train.GradientDescentOptimizer(0.1)

def loss_of(x):
    return tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0), name="loss")

def minimize_mean(pairs_of_towers):
    gradients = [pairs[0][0] for pairs in pairs_of_towers]
    return optimizer.apply_gradients([(tf.add_n(gradients) / len(gradients), w)])
"""


def loops(before, scope, inside, after, loss="loss_of(x)"):
    """Returns a script with a loop over two towers: `before` it, the `scope` of a tower, `inside` that and `after`."""
    lines = [before, "kept = []", "for i in range(2):", "    with {}:".format(scope), "        {}".format(inside)]
    return BEGIN + "\n".join(lines + ["        kept.append({})".format(loss), after, ""])


ONCE, EACH = "x = batches.get_next()", "x = batches.get_next()"
TOWER = "tf.name_scope('tower_%d' % i)"
GRADIENTS = "optimizer.compute_gradients(loss_of(x), [w])"
PAIRS, MEAN = "steps(minimize_mean(kept))", "steps(optimizer.minimize(tf.add_n(kept) / 2.0))"
# model_deploy adds the losses of a clone outside its scope, and scales them.
CLONES = "scaled = [tf.div(tf.add_n([each]), 2.0) for each in kept]\n" \
    "steps(minimize_mean([optimizer.compute_gradients(each, [w]) for each in scaled]))"
TASKS = "v = tf.get_variable('v%d' % i, [1, 1])"

SAME = {
    "gradients per tower": loops(ONCE, TOWER, "pass", PAIRS, GRADIENTS),
    "one gradient of the mean loss": loops(ONCE, TOWER, "pass", MEAN),
    "clones": loops(ONCE, "tf.name_scope('clone_%d' % i)", "pass", CLONES),
    "towers without an underscore": loops(ONCE, "tf.name_scope('tower%d' % i)", "pass", PAIRS, GRADIENTS),
    "a scope that TensorFlow numbers": loops(ONCE, "tf.name_scope('replica')", "pass", PAIRS, GRADIENTS),
}
DISTINCT = {
    "a batch per tower": loops("", TOWER, EACH, PAIRS, GRADIENTS),
    "a batch per clone": loops("", "tf.name_scope('clone_%d' % i)", EACH, CLONES),
    "parts of one batch": loops("parts = tf.split(batches.get_next(), 2)", TOWER, "x = parts[i]", MEAN),
    "one tower": loops(ONCE, "tf.name_scope('tower_0')", "pass", "steps(optimizer.minimize(kept[0]))"),
    "branches, not towers": loops(ONCE, "tf.name_scope('branch_%d' % i)", "pass", MEAN),
    "towers of two tasks": loops(ONCE, TOWER, TASKS, MEAN, "loss_of(tf.matmul(x, v))"),
}


@pytest.mark.parametrize("source", SAME.values(), ids=SAME.keys())
def test_towers_that_train_on_the_same_batch_are_an_error(source):
    (found,) = diagnosed.findings(source)
    assert (found.check.code, found.check.severity, found.evidence.operation) == ("LD101", "error", "IteratorGetNext")
    assert "line {}".format(diagnosed.line_of(source, ONCE)) in found.evidence.line


@pytest.mark.parametrize("source", DISTINCT.values(), ids=DISTINCT.keys())
def test_distinct_batches_give_no_finding(source):
    assert diagnosed.codes(source) == []


def test_towers_on_gpus_without_name_scopes_are_found_without_running():
    from legacy_towers.compat import tf
    from legacy_towers.doctor.examine import examine

    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [4, 1], name="x")
        w = tf.get_variable("w", [1, 1])
        losses = []
        for index in range(2):
            with tf.device("/gpu:{}".format(index)):
                losses.append(tf.reduce_mean(tf.matmul(x, w)))
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.add_n(losses) / 2.0)
    (found,) = examine([(graph, None)], ["LD101"])
    assert "/device:GPU:0 and /device:GPU:1 train on the same examples" in found.evidence.message


NORMALIZED = """
x = tf.placeholder(tf.float32, [None, 1])
mean = tf.get_variable("mean", [], trainable=False, initializer=tf.zeros_initializer())
update = tf.assign(mean, 0.9 * mean + 0.1 * tf.reduce_mean(x))
{}
op = train(x)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run({}, {{x: [[1.0]]}})
"""
COLLECTED = "tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)"


@pytest.mark.parametrize("collected, fetches, expected", [
    pytest.param(COLLECTED, "op", ["LD201"], id="the updates never run"),
    pytest.param(COLLECTED, "[op, update]", [], id="the updates are fetched"),
    pytest.param("", "op", [], id="there are no updates"),
    pytest.param(COLLECTED, "mean", [], id="nothing is trained"),
])
def test_updates_that_no_training_step_runs(collected, fetches, expected):
    assert diagnosed.codes(NORMALIZED.format(collected, fetches)) == expected
