"""Progress of training: lines, and a progress bar on a terminal."""
import io
import re
import types

import pytest

from legacy_towers.compat import tf
from legacy_towers.training.formatting import format_number
from legacy_towers.training.hooks import progress
from legacy_towers.training.hooks.progress import ProgressHook


class Terminal(io.StringIO):
    def isatty(self):
        return True


def run(stream, steps, last_step, every, **options):
    """Runs `steps` steps whose loss is the number of the step, and returns the hook."""
    global_step = tf.train.get_or_create_global_step()
    with tf.control_dependencies([tf.assign_add(global_step, 1)]):
        loss = tf.cast(global_step.read_value(), tf.float32)
    hook = ProgressHook(loss, global_step, last_step, 10, every, stream, **options)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        for _ in range(steps):
            session.run(loss)
    return hook


def test_the_first_the_last_and_every_nth_step_have_a_line():
    stream = io.StringIO()
    hook = run(stream, 12, 12, 5)
    lines = stream.getvalue().splitlines()
    assert [line.split() for line in lines[:1]] == [["step", "1/12", "8%", "loss", "1.0000"]]
    assert [line[:27] for line in lines[1:]] == [
        "step  5/12  41%  loss 5.000", "step 10/12  83%  loss 10.00", "step 12/12 100%  loss 12.00"
    ]
    assert all(re.search(r"\d examples/s  \d+:\d\d left$", line) for line in lines[1:3])
    assert re.search(r"\d examples/s$", lines[3])
    assert (hook.steps, hook.loss, hook.loss_step) == (12, 12.0, 12)
    assert hook.examples_per_second > 0


def test_lines_name_the_worker_that_all_others_wait_for():
    times = types.SimpleNamespace(seconds={"worker:0": 0.0691, "worker:1": 0.1})
    stream = io.StringIO()
    run(stream, 3, 4, 2, times=times)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 2 and all(line.endswith("  waits for worker:1 31 % of the time") for line in lines)
    times.seconds = {}
    stream = io.StringIO()
    run(stream, 1, 1, 2, times=times)
    assert "waits" not in stream.getvalue()


def test_a_terminal_has_a_progress_bar_below_the_lines():
    pytest.importorskip("tqdm")
    stream = Terminal()
    run(stream, 12, 12, 5)
    shown = stream.getvalue().split("\r")
    assert re.match(r"step 12/12 100% \|.*\| \d\d:\d\d<00:00, loss 12.0000, [\d,]+ examples/s\s*\n$", shown[-1])
    assert [line[:15] for line in seen(stream.getvalue())] == [
        "step  1/12   8%", "step  5/12  41%", "step 10/12  83%", "step 12/12 100%", "step 12/12 100%"
    ]


def seen(text):
    """Returns the lines that a terminal shows at the end; a carriage return starts to overwrite the line."""
    lines = [""]
    column = 0
    for letter in text:
        if letter == "\n":
            lines.append("")
            column = 0
        elif letter == "\r":
            column = 0
        else:
            lines[-1] = lines[-1][:column] + letter + lines[-1][column + 1 :]
            column += 1
    assert lines[-1] == ""
    return [line.rstrip() for line in lines[:-1]]


@pytest.mark.parametrize(
    "times, remaining",
    [([100, 101, 102, 103], "0:07"), ([0, 60, 120, 180], "7:00"), ([9, 10009, 20009, 30009], "19:26:40")],
    ids=["without the first step", "minutes", "hours"],
)
def test_the_remaining_time_is_computed_from_the_mean_step_without_the_first(monkeypatch, times, remaining):
    """Four of 11 steps are done: 7 more at the mean of the last three."""
    stream = io.StringIO()
    moments = iter(times)
    monkeypatch.setattr(progress, "time", types.SimpleNamespace(time=lambda: next(moments)))
    run(stream, 4, 11, 4)
    assert stream.getvalue().splitlines()[-1].endswith("examples/s  {} left".format(remaining))


@pytest.mark.parametrize(
    "value, text",
    [(2.86789, "2.8679"), (0.0, "0.0000"), (0.00012, "0.0001"), (0.000012, "1.2e-05"), (-3e-9, "-3.0e-09"),
     (float("nan"), "nan"), (float("inf"), "inf")],
)
def test_format_number(value, text):
    assert format_number(value) == text


def test_the_global_step_is_read_if_other_towers_step_too():
    """Each run increments the global step by three: once itself, and twice by other towers."""
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
    lines = [re.split(r" +\d+%  loss", line)[0] for line in stream.getvalue().splitlines()]
    # A line may have the global step before or after its own run's increment.
    assert [line in options for line, options in zip(lines, (
        ("step   0/100", "step   1/100"), ("step  12/100", "step  13/100"), ("step  27/100", "step  28/100")
    ))] == [True] * 3
    assert hook.steps == 33 and hook.examples_per_second > 0
