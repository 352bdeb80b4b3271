"""`train --evaluate-steps`, `--stop-early`, `--keep-best` and `--overfit-batches`, and `evaluate --best`."""
import json
import re

import job_files
import pytest

from legacy_towers.cli.main import main
from legacy_towers.training.checkpoints.best import BEST_FILE

TRAIN = "train line.py --towers 2 --order fixed --per-tower-batch-size 10 "


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Returns a function that runs a command line and returns its exit code and its output."""
    monkeypatch.chdir(tmp_path)
    job_files.write(tmp_path, "line.py", job_files.LINE)

    def command(line):
        code = main(line.split())
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return command


def test_a_run_is_evaluated_stops_early_and_keeps_the_best_checkpoint(run, tmp_path):
    asked = TRAIN + "--checkpoint-dir run --keep 1 --steps 40 --evaluate-steps 5 --stop-early max:error --patience 2"
    code, out, err = run(asked)
    assert code == 0
    assert (
        "evaluation: every 5 steps and at the end; training stops early after 2 evaluations without a higher error\n"
    ) in err
    assert "at the end; the newest is kept, and the one with the highest error\n" in err
    evaluated = re.findall(r"^test error (.*), loss \1 \(1000 examples, step (\d+)\)$", err, re.M)
    assert [step for _, step in evaluated] == ["5", "10", "15"]  # a line's error only falls
    lines = out.splitlines()
    first = re.search(r"^step +1/40 .* loss (\S+)", err, re.M).group(1)  # no later one is printed
    assert lines[0].startswith("trained 15 steps, with a loss of {} at step 1, ".format(first))
    assert lines[1:3] == [
        "stopped early at step 15: error was highest with {} at step 5 and has not risen in the 2 evaluations "
        "since".format(evaluated[0][0]),
        "the best checkpoint is run/model.ckpt-5 (error {})".format(evaluated[0][0]),
    ]
    assert lines[3] == re.findall("^test .*", err, re.M)[-1]
    again = run(asked)
    assert again[0] == 0 and again[1].splitlines() == lines[1:]  # no step more
    newest, best = (
        json.loads(run("evaluate line.py --checkpoint-dir run --json" + option)[1]) for option in ("", " --best")
    )
    assert (newest["step"], best["step"], best["examples"]) == (15, 5, 1000)
    assert "{:.4f}".format(best["metrics"]["error"]) == evaluated[0][0]
    predicted = [run("predict line.py --checkpoint-dir run" + option)[1] for option in ("", " --best")]
    assert predicted[0] != predicted[1] and len(predicted[1].splitlines()) == 1000
    (tmp_path / "run" / BEST_FILE).unlink()
    code, _, err = run("evaluate line.py --checkpoint-dir run --best")
    assert code == 2 and "there is no best checkpoint in 'run': train with --keep-best" in err


def test_a_wrong_metric_is_refused_before_training(run, tmp_path):
    for option, metric in (("--keep-best", "eror"), ("--evaluate-steps 5 --stop-early", "los")):
        code, out, err = run(TRAIN + "--checkpoint-dir run --steps 9 {} max:{}".format(option, metric))
        name = option.split()[-1]
        assert code == 2 and out == "" and "step " not in err
        assert "{0} max:{1}: there is no metric '{1}'; an evaluation of this job has 'error', 'loss'".format(
            name, metric
        ) in err
    assert not (tmp_path / "run").exists()
    code, _, err = run(TRAIN + "--steps 9 --evaluate-steps 5 --bare")
    assert code == 2 and "--evaluate-steps needs test examples, and the job has none: give lt.Job(test=...)" in err


def test_without_a_checkpoint_directory_too(run):
    code, out, err = run(TRAIN + "--steps 5 --evaluate-seconds 1e-9 --average 0.5 --variables asynchronous --order any")
    assert code == 0 and out.splitlines()[-1].endswith("(1000 examples, step 5)") and "best" not in out
    assert 1 < err.count("(1000 examples, step ") <= 5


def test_overfitting_uses_the_same_few_batches_and_says_so(run, tmp_path):
    code, out, err = run(TRAIN.replace("--order fixed ", "") + "--overfit-batches 2 --epochs 20 --plan-json plan.json")
    assert code == 0 and "overfitting: the same 2 global batches again and again: 40 examples, in fixed order\n" in err
    assert "20 per step in fixed order, from the first 40 of arrays (x, y, id)\n" in err
    assert "steps: 1 to 40 (20 epochs of 40 examples)" in err
    assert json.loads((tmp_path / "plan.json").read_text())["input"]["source"] == "the first 40 of arrays (x, y, id)"
    assert float(re.match("trained 40 steps to a loss of (.*?), ", out).group(1)) < 1e-4
    for options, message in (
        ("--overfit-batches 99", "--overfit-batches 99 needs 1,980 examples (20 per step), and the job has 1,000"),
        ("--overfit-batches 2 --input synthetic", "--overfit-batches 2: synthetic batches are always the same"),
        ("--overfit-batches 2 --variables asynchronous", "towers that train asynchronously have no global batches"),
        ("--overfit-batches 0", "--overfit-batches is 0: at least 1 is needed"),
    ):
        code, _, err = run(TRAIN.replace("--order fixed ", "") + options)
        assert code == 2 and message in err
