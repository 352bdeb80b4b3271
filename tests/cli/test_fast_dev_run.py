"""`train --fast-dev-run`: two steps with all that a run does; nothing is left, and a failure is one sentence."""
import os
import tempfile

import job_files
import pytest

from legacy_towers.cli.main import main

# As job_files.LINE, with an option that breaks one part of a run.
BROKEN = job_files.LINE
for _old, _new in (
    ('says=""', 'says="", breaks=""'),
    ("return lt.Job(", "global broken\n        broken = breaks\n        return lt.Job("),
    ("error = tf.square(guess", """if broken == "eval" and mode == lt.EVAL:
            raise ValueError("no evaluation here")
        error = tf.square(guess"""),
    ("loss=tf.reduce_mean(error)", """loss=tf.reduce_mean(error) / (0.0 if broken == "nan" else 1.0)"""),
    ("moving_average_decay=average or None,", """moving_average_decay=average or None,
            hooks=lambda step: [Changes()] if broken == "restore" else [],"""),
    ("@lt.job", """class Changes(tf.train.SessionRunHook):
        def after_create_session(self, session, coord):
            if session.run(tf.train.get_global_step()) == 1:
                raise lt.errors.JobError("not after a restore")

    @lt.job"""),
):
    assert _old in BROKEN, _old
    BROKEN = BROKEN.replace(_old, _new)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Returns a function that runs a command line and returns its exit code and its output."""
    monkeypatch.chdir(tmp_path)
    job_files.write(tmp_path, "line.py", BROKEN)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))

    def command(line):
        code = main(("train line.py --towers 2 --per-tower-batch-size 10 --fast-dev-run " + line).split())
        assert os.listdir("temporary") == []
        shown = capsys.readouterr()
        return code, shown.out.splitlines(), shown.err

    return command


def files_in(folder):
    return sorted(os.path.join(path, name) for path, _, names in os.walk(str(folder)) for name in names
                  if "__pycache__" not in path)


def test_everything_is_tried_and_nothing_is_left(run, tmp_path):
    before = files_in(tmp_path)
    options = "--epochs 3 --checkpoint-dir kept --keep-best min:error --trace trace.json --plan-json plan.json"
    code, out, err = run(options + " --evaluate-steps 500 --input staged+queue --average 0.9")
    assert code == 0 and files_in(tmp_path) == before and "error" not in err
    shown = [line.split(":")[0] for line in out]
    assert shown == [
        "ok      the plan of the run", "ok      step 1", "ok      checkpoint", "ok      evaluation", "ok      restore",
        "ok      step 2", "the fast dev run passed, and nothing of it is kept",
    ]
    assert out[0].endswith(": 150 steps (3 epochs of 1,000 examples), 20 examples per step of all towers")
    assert "written and verified" in out[2] and "evaluation: error " in out[3]
    assert out[4].endswith("from its own checkpoint, of step 1")


def test_a_run_that_would_resume_is_tried_from_a_copy_of_its_checkpoint(run, tmp_path, capsys):
    assert main("train line.py --towers 2 --per-tower-batch-size 10 --steps 3 --checkpoint-dir kept".split()) == 0
    capsys.readouterr()
    before = {path: os.stat(path).st_mtime_ns for path in files_in(tmp_path / "kept")}
    code, out, _ = run("--checkpoint-dir kept --quiet")
    assert code == 0 and out == ["the fast dev run passed, and nothing of it is kept"]
    code, out, _ = run("--checkpoint-dir kept")
    assert code == 0 and "ok      restore: from the checkpoint of step 3 in kept" in out
    assert [line[8:14] for line in out if " step " in line[:14]] == ["step 4", "step 5"]
    code, out, err = run("--checkpoint-dir kept --average 0.5")
    assert code == 1 and out[-1] == "failed  the restore of the checkpoint of step 3 in kept"
    assert "the fast dev run failed at the restore of the checkpoint of step 3 in kept: the checkpoint" in err
    assert "model.ckpt-3 lacks 'w/ExponentialMovingAverage'" in err
    assert {path: os.stat(path).st_mtime_ns for path in files_in(tmp_path / "kept")} == before


@pytest.mark.parametrize("breaks, failed, message", [
    ("eval", "building and running step 1", "no evaluation here"),
    ("nan", "building and running step 1", "failed at building and running step 1: the loss of tower 0 "),
    ("restore", "the restore of its own checkpoint, of step 1", "of step 1: not after a restore"),
])
def test_a_part_that_fails_is_named(run, breaks, failed, message):
    code, out, err = run("--breaks " + breaks)
    assert code == 1 and out[-1] == "failed  " + failed and message in err
    assert not any("passed" in line for line in out)
