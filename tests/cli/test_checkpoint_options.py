"""Options for checkpoints on the command line, and runs that find damaged or locked directories."""
import os
import warnings

import job_files
import pytest
from commands import command

from legacy_towers.training.checkpoints import write
from legacy_towers.training.checkpoints.lock import DirectoryLock
from legacy_towers.training.checkpoints.newest import find_newest

pytestmark = pytest.mark.usefixtures("folder")


def steps_in(directory):
    return sorted(int(name[len("model.ckpt-") : -len(".index")]) for name in os.listdir(directory) if ".index" in name)


def test_checkpoints_are_saved_and_kept_as_the_options_and_the_job_say(folder, capsys):
    options = "checkpoints=lt.training.CheckpointOptions(save_steps=4, keep=2), "
    own = job_files.LINE.replace("test=None if bare", options + "test=None if bare")
    job_files.write(folder, "own.py", own)
    assert command("train own.py --steps 10 --bare --checkpoint-dir kept") == 0
    shown = capsys.readouterr().err
    assert "\ncheckpoints: every 4 steps and at the end; the newest 2 are kept\n" in shown
    assert steps_in("kept") == [8, 10]
    words = "train own.py --steps 13 --checkpoint-dir kept --save-steps 1 --save-seconds 60 --keep 3 "
    assert command(words + "--keep-best min:error") == 0
    shown = capsys.readouterr().err
    expected = "every step, every minute and at the end; the newest 3 are kept, and the one with the lowest error"
    assert "resuming from kept/model.ckpt-10\ncheckpoints: {}\n".format(expected) in shown
    assert steps_in("kept") == [11, 12, 13]
    # A larger learning rate makes it worse: the best one is kept.
    assert command("train own.py --steps 15 --checkpoint-dir kept --keep 1 --keep-best min:error --rate 2") == 0
    assert steps_in("kept") == [13, 15]


@pytest.mark.parametrize("words, message", [
    ("--save-steps 0 --checkpoint-dir kept", "--save-steps is 0: at least 1 is needed"),
    ("--save-seconds -1 --checkpoint-dir kept", "--save-seconds is -1: a time above 0 is needed"),
    ("--keep 0 --checkpoint-dir kept", "--keep is 0: at least 1 is needed"),
    ("--keep-best error --checkpoint-dir kept", "--keep-best is 'error': give max:METRIC or min:METRIC"),
    ("--keep 3", "--keep has no effect without --checkpoint-dir"),
    ("--on-full-disk wait --checkpoint-dir kept", "argument --on-full-disk: invalid choice: 'wait'"),
    ("--keep-best min:error --bare --checkpoint-dir kept", "--keep-best needs an evaluation, and the job has no test "),
])
def test_usage_errors_are_one_line_and_write_nothing(capsys, words, message):
    assert command("train line.py --steps 1 " + words) == 2
    shown = capsys.readouterr()
    assert message in shown.err and (shown.out, shown.err.count("\n")) == ("", 1)
    assert not os.path.exists("kept")


def test_all_commands_use_the_newest_valid_checkpoint_and_report_the_others(capsys):
    assert command("train line.py --steps 3 --bare --save-steps 1 --checkpoint-dir kept") == 0
    os.truncate("kept/model.ckpt-3.data-00000-of-00001", 9)
    os.remove("kept/checkpoint")
    capsys.readouterr()
    expected = [
        "legacy-towers: warning: the checkpoint kept/model.ckpt-3 is damaged: kept/model.ckpt-3.data-00000-of-00001 "
        "has 9 bytes, 20 were written; using kept/model.ckpt-2",
        "legacy-towers: warning: kept/checkpoint is missing; using kept/model.ckpt-2",
    ]
    assert command("evaluate line.py --checkpoint-dir kept") == 0
    shown = capsys.readouterr()
    assert shown.err.splitlines() == expected and shown.out.endswith("(1000 examples, step 2)\n")
    assert command("predict line.py --checkpoint-dir kept --output x.jsonl") == 0
    assert capsys.readouterr().err.splitlines() == expected
    assert command("train line.py --steps 4 --bare --checkpoint-dir kept") == 0
    shown = capsys.readouterr()
    assert shown.err.splitlines()[:2] == expected
    assert "steps: 3 to 4, resuming from kept/model.ckpt-2\n" in shown.err
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert find_newest("kept").step == 4
    for name in os.listdir("kept"):
        if name.endswith(".index"):
            os.truncate(os.path.join("kept", name), 5)
    for words in ("train line.py --steps 9", "evaluate line.py", "predict line.py"):
        assert command(words + " --checkpoint-dir kept") == 2
        shown = capsys.readouterr()
        named = [step for step in range(5) if "kept/model.ckpt-{} is damaged".format(step) in shown.err]
        assert (shown.out, shown.err.count("\n"), named) == ("", 1, [0, 1, 2, 3, 4])


def test_a_second_run_in_a_directory_is_refused(capsys):
    os.mkdir("kept")
    lock = DirectoryLock("kept")
    assert command("train line.py --steps 1 --checkpoint-dir kept") == 2
    shown = capsys.readouterr()
    assert "kept is in use by another session of this process: close it first" in shown.err
    assert (shown.out, shown.err.count("\n")) == ("", 1) and os.listdir("kept") == ["training.lock"]
    lock.release()
    assert command("train line.py --steps 1 --bare --checkpoint-dir kept") == 0
    assert "training.lock" not in os.listdir("kept")


@pytest.mark.parametrize("policy", ["continue", "stop"])
def test_a_run_that_can_not_save_its_end_fails_with_one_line(capsys, monkeypatch, policy):
    assert command("train line.py --steps 3 --bare --checkpoint-dir kept") == 0
    capsys.readouterr()
    monkeypatch.setattr(write.files, "free_bytes", lambda path: 7)
    words = "train line.py --steps 6 --bare --save-steps 2 --checkpoint-dir kept --on-full-disk " + policy
    assert command(words) == 1
    lines = capsys.readouterr().err.splitlines()
    step, warned = (4, 0) if policy == "stop" else (6, 2)
    expected = "legacy-towers: error: the checkpoint of step {} can't be written to kept: No space left on device (it "
    assert lines[-1].startswith(expected.format(step) + "needs ")
    assert lines[-1].endswith(" bytes, 7 bytes are free)")
    assert len([line for line in lines if "warning" in line and line.endswith("; training continues")]) == warned
    assert steps_in("kept") == [0, 3] and "training.lock" not in os.listdir("kept")
    assert ".unfinished-checkpoints" not in os.listdir("kept")
