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
DEEP = "tf.matmul(tf.tanh(tf.sin(tf.cos(tf.tanh(x)))), w)"
PARALLEL = {
    "independent towers": towers(),
    "batches that are read in the order of the towers": towers(after="[reads[-1]] if i else []").replace(
        "gradients, losses", "gradients, reads, losses").replace("= [], []", "= [], [], []").replace(
        '        h = tf.matmul(x, w, name="h")', "        reads.append(x.op)\n        h = " + DEEP),
    "all after one operation of no tower": towers(after="[data]"),
    "a tower whose last operations wait": TOWERS.format(before="pass", after="[]", plus="").replace(
        "h - 1.0", "h - (tf.stop_gradient(losses[0]) if i else 1.0)").replace(
        'h = tf.matmul(x, w, name="h")', "h = " + DEEP),
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
    assert "% of the operations of tower_1 run only after " in found.evidence.message
    assert "% of those of tower_0: 'tower_1/" in found.evidence.message
    assert ("(a control input)" in found.evidence.message) == by_control and waits_for in found.evidence.message
    lines = [diagnosed.line_of(source, text) for text in ("x = tf.identity", "name_scope")]
    assert any("examined.py, line {}".format(line) in found.evidence.line for line in [lines[0], lines[1] + 1])


@pytest.mark.parametrize("source", PARALLEL.values(), ids=PARALLEL.keys())
def test_towers_that_can_overlap_are_not(source):
    assert diagnosed.findings(source, ["LD501"]) == []


MODEL = """
optimizer = tf.train.GradientDescentOptimizer(0.1)
gradients, train_ops = [], []
for i in range(2):
    with tf.device("{device}"), tf.name_scope("tower_%d" % i):
        x = tf.random_uniform([4, 1])
        h = {layer}
        loss = tf.reduce_mean(tf.square(h - 1.0))
        gradients.append(optimizer.compute_gradients(loss, [w])[0][0])
        train_ops.append(optimizer.apply_gradients([(gradients[-1], w)]))
with tf.device("/cpu:0"):
    mean = optimizer.apply_gradients([(tf.add_n(gradients) / 2.0, w)])
"""
EACH_GPU = "/gpu:%d\" % i + \""
RUNS = """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(4):
        {runs}
"""


def model(device=EACH_GPU, layer="tf.matmul(x, w)", runs="sess.run(mean)"):
    return MODEL.format(device=device, layer=layer) + RUNS.format(runs=runs)


VARIABLES = """
optimizer = tf.train.GradientDescentOptimizer(0.1)
variables = [tf.get_variable("v%d" % i, [{size}]) for i in range(60)]
gradients = []
for i in range(2):
    with tf.device("/{type}:%d" % i), tf.name_scope("tower_%d" % i):
        loss = tf.add_n([tf.reduce_sum(tf.square(each - float(i))) for each in variables])
        gradients.append([each for each, _ in optimizer.compute_gradients(loss, variables)])
with tf.device("/cpu:0"):
    means = [tf.add_n(list(each)) / 2.0 for each in zip(*gradients)]
    steps(optimizer.apply_gradients(zip(means, variables)))
"""
PIPELINE = """
with tf.device("{device}"):
    number = tf.train.range_input_producer(8).dequeue()
    value = tf.square(tf.cast(number, tf.float32))
with tf.device("/cpu:0"):
    x = tf.train.batch([value], 4)
with tf.device("/gpu:0"):
    steps(train(x))
"""
SEPARATE = "for op in train_ops: sess.run(op)"
PY_FUNC = "tf.matmul(tf.reshape(tf.py_func(lambda y: y, [tf.matmul(x, w)], tf.float32), [4, 1]) + x, w)"

FAULTS = {
    "each tower in a run of its own": (model(runs=SEPARATE), "LD502", "tower_0 and tower_1 are trained in session"),
    "many small gradients": (VARIABLES.format(size=3, type="gpu"), "LD503", "copies 120 gradients of less than 64"),
    "examples prepared on a GPU": (PIPELINE.format(device="/gpu:0"), "LD504", "for queues are placed on /gpu:0"),
    "a Python function in a tower": (model(layer=PY_FUNC), "LD505", "PyFunc runs on the CPU, as it has no kernel for"),
    "all towers on one GPU": (model(device="/gpu:0"), "LD506", "tower_0 and tower_1 are all placed on /gpu:0"),
}
SOUND = {
    "a GPU for each tower, one run": model(),
    "all training operations in one run": model(runs="sess.run(train_ops)"),
    "towers on CPU devices": model(device="/cpu:0"),
    "large gradients": VARIABLES.format(size=20000, type="gpu"),
    "small gradients inside the backward pass": VARIABLES.format(size=3, type="gpu").replace(
        "loss = tf", "with tf.device('/cpu:0'): inner = [tf.tanh(v) for v in variables]\n        loss = tf").replace(
        "each - float(i))) for each in variables]", "each - float(i))) for each in inner]").replace(
        "range(2)", "range(1)"),
    "gradients on CPU devices": VARIABLES.format(size=3, type="cpu"),
    "examples prepared on the CPU": PIPELINE.format(device="/cpu:0"),
    "a Python function of whole numbers": model(
        layer="tf.matmul(x, w) + tf.cast(tf.py_func(lambda y: y, [tf.range(4)], tf.int32), tf.float32)[0]"),
    "a Python function before the towers": model(layer="tf.matmul(x, w)").replace(
        "gradients, train_ops", "y = tf.py_func(lambda y: y, [tf.ones([4, 1])], tf.float32)\ngradients, train_ops"),
}
CODES = ["LD502", "LD503", "LD504", "LD505", "LD506"]


@pytest.mark.parametrize("source, code, text", FAULTS.values(), ids=FAULTS.keys())
def test_faults_of_placement_are_reported(source, code, text):
    found = [each for each in diagnosed.findings(source, CODES)]
    assert [each.check.code for each in found] == [code] and text in found[0].evidence.message
    assert found[0].evidence.line.startswith("examined.py, line ") and found[0].check.severity == "warning"


@pytest.mark.parametrize("source", SOUND.values(), ids=SOUND.keys())
def test_sound_placement_is_not(source):
    assert diagnosed.findings(source, CODES) == []


def test_towers_that_threads_train_are_not_reported():
    source = model(runs="""threads = [threading.Thread(target=sess.run, args=(op,)) for op in train_ops]
        for each in threads: each.start()
        for each in threads: each.join()""")
    assert diagnosed.findings("import threading\n" + source, ["LD502"]) == []
