"""The lines that are printed when a script begins to train."""
import pytest
from doctor import diagnosed
from run.runtime import prepared

from legacy_towers.doctor import registry
from legacy_towers.doctor.first_step import errors
from legacy_towers.run.runtime.training_start import TrainingStart

TOWERS = """
batch = tf.constant(np.ones([4, 1], np.float32)) + tf.random_uniform([4, 1])
batch = tf.placeholder_with_default(batch, [4, 1])
losses = []
for i in range(2):
    with tf.name_scope("tower_%d" % i):
        losses.append(tf.reduce_mean(tf.square(tf.matmul(batch, w) - 1.0)))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(tf.add_n(losses) / 2.0)
steps(train_op)
"""
QUEUE = """
number = tf.train.limit_epochs(tf.constant([1.0, 2.0]), num_epochs=9)
x = tf.train.batch([number], 1, enqueue_many=True, capacity=4)
train_op = train(x)
"""
UNINITIALIZED = QUEUE + """
try:
    steps(train_op, local=False)
except (tf.errors.OutOfRangeError, tf.errors.FailedPreconditionError):
    pass
"""
UNSTARTED = QUEUE + """
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    try:
        sess.run(train_op, options=tf.RunOptions(timeout_in_ms=50))
    except tf.errors.DeadlineExceededError:
        pass
"""
WARNED = QUEUE.replace("capacity=4", "capacity=1").replace("], 1", "], 4") + "steps(train_op)"


def printed(source, **limits):
    """Runs `source` as a script, and returns the lines that are printed at its first training step."""
    said = []
    with prepared.script() as (tf, run), tf.Graph().as_default():
        run.runtime.training_start = TrainingStart(lambda *arguments: errors(*arguments, **limits), said.append)
        exec(compile(diagnosed.BEGIN + source, "examined.py", "exec"), {"tf": tf})
    return said


@pytest.mark.parametrize("source, code, text", [
    (TOWERS, "LD101 same-batch", "batch = tf.placeholder_with_default"),
    (UNINITIALIZED, "LD304 uninitialized-epochs", "number = tf.train.limit_epochs"),
    (UNSTARTED, "LD306 unstarted-queue-runners", "x = tf.train.batch"),
], ids=["towers", "no local initializer", "queue runners not started"])
def test_each_error_is_one_line_with_its_place_and_remedy(source, code, text):
    (line,) = [each for each in printed(source) if code in each]
    place = "examined.py, line {}".format(diagnosed.line_of(source, text))
    assert line.startswith("error {}: ".format(code)) and place in line and "\n" not in line
    assert line.endswith("(`legacy-towers doctor --explain {}`)".format(code[:5]))


@pytest.mark.parametrize("source", [QUEUE + "steps(train_op)", WARNED], ids=["correct", "warnings only"])
def test_nothing_is_printed_without_an_error(source):
    assert printed(source) == []


def test_a_graph_of_too_many_operations_is_named_and_not_examined():
    (line,) = printed(TOWERS, most=10)
    assert "operations: it is not examined for errors, which takes too long from 10 on; `legacy-towers doctor`" in line


def test_checks_that_are_left_out_for_want_of_time_are_counted():
    lines = printed(TOWERS, seconds=-1)
    count = len([each for each in registry.checks() if each.severity == registry.ERROR])
    assert lines == ["{0} of {0} checks for errors are left out, since the others took -1 s; `legacy-towers doctor` "
                     "runs all, and --no-doctor none".format(count)]


def test_an_error_inside_a_check_is_one_line_and_the_script_goes_on(monkeypatch):
    def fails(subject):
        yield subject.evidence(subject.operations[0], "it is there", "nothing")
        raise KeyError("no such\noperation")

    check = registry.Check("LD999", "failing", registry.ERROR, "", fails)
    monkeypatch.setattr("legacy_towers.doctor.first_step.checks", lambda: [check] + registry.checks(["LD101"]))
    failure, found = printed(TOWERS + "print('end')")
    assert failure.startswith("the check LD999 failing failed, and the script goes on: KeyError: ")
    assert "\n" not in failure and "--no-doctor" in failure and "LD101" in found


def test_the_findings_of_one_check_are_at_most_three_lines_and_a_count(monkeypatch):
    def finds(subject):
        for operation in subject.operations[:6]:
            yield subject.evidence(operation, "it is there", "nothing")._replace(line="")

    check = registry.Check("LD999", "many", registry.ERROR, "", finds)
    monkeypatch.setattr("legacy_towers.doctor.first_step.checks", lambda: [check])
    lines = printed(TOWERS)
    assert len(lines) == 4 and lines[3] == "3 more errors LD999 many: `legacy-towers doctor` prints all"
