"""legacy-towers train: what it prints, its options, and how a run ends and resumes."""
import os
import re
import threading

import job_files
import pytest
import waiting
from commands import command

from legacy_towers.cli.main import main
from legacy_towers.compat import tf
from legacy_towers.training import building

pytestmark = pytest.mark.usefixtures("folder")

def test_train_prints_four_lines_at_the_start_and_two_at_the_end(capsys):
    assert command("train line.py --towers 4 --per-tower-batch-size 25 --epochs 2 --log-every 10") == 0
    shown = capsys.readouterr()
    lines = shown.err.splitlines()
    assert lines[:4] == [
        "line: 4 towers on /cpu:0 to /cpu:3; 2 variables (20 bytes) on /cpu:0",
        "input: dataset:next_per_tower, 25 examples per tower, 100 per step, from arrays (x, y, id)",
        "strategy: ParameterServer('/cpu:0'); gradients: mean()",
        "steps: 1 to 20 (2 epochs of 1,000 examples); nothing is kept without --checkpoint-dir",
    ]
    assert [line.split("  loss")[0] for line in lines[4:]] == ["step  1/20   5%", "step 10/20  50%", "step 20/20 100%"]
    assert re.search(r" examples/s  \d:\d\d left$", lines[5]) and lines[6].endswith(" examples/s")
    trained, tested = shown.out.splitlines()
    assert trained.startswith("trained 20 steps to a loss of 0.0") and trained.endswith(" examples/s over 4 towers")
    assert tested.startswith("test error 0.0") and tested.endswith("(1000 examples, step 20)")
    assert os.listdir(".") == ["line.py"] or sorted(os.listdir(".")) == ["__pycache__", "line.py"]


def test_train_says_where_staging_does_not_pay(capsys):
    assert command("train line.py --towers 2 --per-tower-batch-size 25 --steps 1 --input staged+feed") == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[1].startswith("input: feed, 25 examples per tower") and lines[2] == (
        "staging: does not pay on these devices: all towers are CPUs of one machine, so no batch has to be copied to "
        "them in advance"
    )
    assert lines[3].startswith("strategy: ")


def test_a_line_is_printed_if_building_the_graph_takes_long(capsys, folder, monkeypatch):
    monkeypatch.setattr(building, "_ANNOUNCED_AFTER_SECONDS", 0.4)
    slow = job_files.LINE.replace("def model_fn(batch, mode):", "def model_fn(batch, mode):\n        time.sleep(0.3)")
    job_files.write(folder, "slow.py", slow.replace("import warnings", "import time, warnings"))
    assert command("train slow.py --towers 2 --steps 1 --checkpoint-dir kept") == 0
    shown = capsys.readouterr().err.splitlines()
    # The first line is that of training; the other one is that of the evaluation at the end.
    assert [number for number, line in enumerate(shown) if line == "building the graph of 2 towers"] == [0, 8]
    assert command("evaluate slow.py --checkpoint-dir kept --towers 2") == 0
    assert capsys.readouterr().err == "building the graph of 2 towers\n"
    monkeypatch.setattr(building, "_ANNOUNCED_AFTER_SECONDS", 60.0)
    assert command("evaluate slow.py --checkpoint-dir kept") == 0
    assert capsys.readouterr().err == ""


def test_options_of_the_job_may_come_before_it_and_are_in_the_help(capsys):
    assert command("train --rate 0.2 --towers 2 line.py --steps 1 --bare") == 0
    assert capsys.readouterr().out == "trained 1 step to a loss of {:.4f}\n".format(_first_loss())
    assert command("train line.py --help") == 0
    help_text = capsys.readouterr().out
    assert "options of the job 'line':\n  Fits a line." in help_text
    assert "--rate FLOAT" in help_text and "default: 0.1" in help_text and "default: false" in help_text
    assert command("train --help") == 0
    assert "JOB --help lists the job's own options too" in capsys.readouterr().out


def _first_loss():
    """Returns the loss of the same first step from `train`; it does not depend on the learning rate."""
    from legacy_towers.training.job import load_job
    from legacy_towers.training.settings import TrainSettings
    from legacy_towers.training.train import train

    job = load_job("line.py")(bare=True)
    return train(job, TrainSettings(towers=2, steps=1), open(os.devnull, "w")).loss


def test_deprecation_warnings_are_printed_with_verbose_only(capsys):
    words = ["train", "line.py", "--steps", "1", "--bare", "--says", "`tf.layers.dense` is deprecated"]
    assert main(words) == 0
    assert "deprecated" not in capsys.readouterr().err
    assert main(words + ["--verbose"]) == 0
    assert "legacy-towers: warning: `tf.layers.dense` is deprecated\n" in capsys.readouterr().err


def test_plan_prints_the_whole_plan(capsys):
    assert command("train line.py --steps 1 --bare --plan") == 0
    assert "regularization: none" in capsys.readouterr().err


def test_trace_writes_a_file_and_reports_its_step(capsys):
    assert command("train line.py --towers 2 --steps 3 --bare --trace step.json") == 0
    assert capsys.readouterr().out.endswith(" (trace of step 3 in step.json)\n")
    assert os.path.getsize("step.json") > 1000


@pytest.mark.parametrize("pipeline", ["feed", "queue", "dataset", "dataset:split", "dataset:sharded"])
def test_no_thread_outlives_a_run(pipeline):
    before = threading.enumerate()
    assert command("train line.py --towers 2 --steps 3 --bare --input " + pipeline) == 0
    assert waiting.threads_since(before) == []


def test_a_run_resumes_from_its_checkpoint_and_a_complete_run_only_evaluates(capsys):
    assert command("train line.py --steps 5 --checkpoint-dir kept") == 0
    assert "steps: 1 to 5, checkpoints and summaries in kept\n" in capsys.readouterr().err
    assert command("train line.py --steps 8 --checkpoint-dir kept") == 0
    shown = capsys.readouterr()
    assert "steps: 6 to 8, resuming from kept/model.ckpt-5\n" in shown.err
    assert shown.out.startswith("trained 3 steps ") and shown.out.endswith(" step 8)\n")
    for steps in (8, 2):
        assert command("train line.py --steps {} --checkpoint-dir kept".format(steps)) == 0
        shown = capsys.readouterr()
        assert "steps: none, kept/model.ckpt-8 is at step 8 and the run ends at {}\n".format(steps) in shown.err
        assert shown.out.startswith("test error ") and shown.out.endswith(" step 8)\n")
    assert tf.train.latest_checkpoint("kept") == "kept/model.ckpt-8"


INTERRUPTED = """
    import os, signal
    from line import *

    sent = []

    def endless():
        for number, (x, y) in enumerate(zip(points()["x"], points()["y"])):
            if number == 40 and not sent:  # a second signal, in the next epoch, would end the run at once
                sent.append(number)
                os.kill(os.getpid(), signal.SIG{signal})
            yield {{"x": x, "y": y}}

    @lt.job
    def interrupted():
        spec = {{"x": tf.TensorSpec([3], tf.float32), "y": tf.TensorSpec([], tf.float32)}}
        examples = lt.Examples.from_generator(endless, spec, count=1000, shuffle=False)
        return line().replace(train=examples, per_tower_batch_size=1)
"""


@pytest.mark.parametrize("signal, code", [("INT", 130), ("TERM", 143)])
def test_a_signal_ends_a_run_with_a_checkpoint(folder, capsys, signal, code):
    job_files.write(folder, "interrupted.py", INTERRUPTED.format(signal=signal))
    assert command("train interrupted.py --steps 10000 --checkpoint-dir kept") == code
    shown = capsys.readouterr()
    assert shown.out.startswith("trained ") and "test" not in shown.out
    step = int(tf.train.latest_checkpoint("kept").split("-")[-1])
    assert shown.err.endswith(
        "interrupted at step {} of 10000; the same command resumes from there\n".format(step)
    )


def test_a_warm_start_is_reported_and_a_resume_wins(folder, capsys):
    train = "train line.py --bare --checkpoint-dir "
    assert command(train + "old --steps 2") == 0
    capsys.readouterr()
    assert command(train + "new --steps 1 --warm-start old") == 0
    assert re.search(r"\nwarm start: (\d+) of \1 variables from old/model.ckpt-2\n", capsys.readouterr().err)
    assert command(train + "new --steps 2 --warm-start old") == 0
    line = "warm start: old is not used, since the run resumes from new/model.ckpt-1"
    assert line in capsys.readouterr().err.splitlines()
    assert command(train + "third --steps 1 --warm-start old --warm-start-include none") == 2
    assert "'none' in include matches none of the model's variables" in capsys.readouterr().err
    assert not (folder / "third").exists() or not list((folder / "third").glob("*.index"))
