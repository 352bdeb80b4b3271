"""Progress: plain lines, or a bar on a terminal."""
import io
import re

import pytest

from legacy_towers.compat import tf
from legacy_towers.training.figures import in_short
from legacy_towers.training.progress import ProgressHook


class Terminal(io.StringIO):
    def isatty(self):
        return True


def run(stream, steps, last_step, every):
    """Runs `steps` steps whose loss is the number of the step, and returns the hook."""
    global_step = tf.train.get_or_create_global_step()
    with tf.control_dependencies([tf.assign_add(global_step, 1)]):
        loss = tf.cast(global_step.read_value(), tf.float32)
    hook = ProgressHook(loss, global_step, last_step, 10, every, stream)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        for _ in range(steps):
            session.run(loss)
    return hook


def test_the_first_the_last_and_every_so_manieth_step_have_a_line():
    stream = io.StringIO()
    hook = run(stream, 12, 12, 5)
    lines = stream.getvalue().splitlines()
    assert [line.split() for line in lines[:1]] == [["step", "1/12", "loss", "1.0000"]]
    assert [line[:22] for line in lines[1:]] == [
        "step  5/12  loss 5.000", "step 10/12  loss 10.00", "step 12/12  loss 12.00"
    ]
    assert all(re.search(r"\d examples/s$", line) for line in lines[1:])
    assert (hook.steps, hook.loss) == (12, 12.0)
    assert hook.examples_per_second > 0


def test_a_bar_on_a_terminal():
    pytest.importorskip("tqdm")
    stream = Terminal()
    run(stream, 12, 12, 5)
    shown = stream.getvalue().split("\r")
    assert re.match(r"step 12/12 \|.*\| \d\d:\d\d<00:00, loss 12.0000, [\d,]+ examples/s\s*\n$", shown[-1])
    assert "step 5/12  loss" not in stream.getvalue()


@pytest.mark.parametrize(
    "value, text",
    [(2.86789, "2.8679"), (0.0, "0.0000"), (0.00012, "0.0001"), (0.000012, "1.2e-05"), (-3e-9, "-3.0e-09"),
     (float("nan"), "nan"), (float("inf"), "inf")],
)
def test_figures(value, text):
    assert in_short(value) == text


def test_where_others_step_too_the_global_step_is_read():
    """Each run moves the global step by three: its own, and two of other towers in between."""
    stream = io.StringIO()
    global_step = tf.train.get_or_create_global_step()
    train_op = tf.assign_add(global_step, 1)
    hook = ProgressHook(tf.constant(0.5), global_step, 100, 4, 5, stream, others_step=True)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        raw = session._tf_sess()
        for _ in range(11):
            session.run(train_op)
            raw.run(train_op)
            raw.run(train_op)
    lines = [line.split("  loss")[0] for line in stream.getvalue().splitlines()]
    # A line may be of before or after its own run's step.
    assert [line in options for line, options in zip(lines, (
        ("step   0/100", "step   1/100"), ("step  12/100", "step  13/100"), ("step  27/100", "step  28/100")
    ))] == [True] * 3
    assert hook.steps == 33 and hook.examples_per_second > 0
