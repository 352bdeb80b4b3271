"""legacy-towers evaluate and predict: every test example exactly once, in order, with the trained variables."""
import json
import os
import shutil

import job_files
import numpy as np
import pytest

from legacy_towers.cli.main import main
from legacy_towers.compat import tf


@pytest.fixture(scope="module")
def trained_once(tmp_path_factory):
    """A directory with line.py, trained for 3 steps into kept/, and into averaged/ with moving averages."""
    folder = tmp_path_factory.mktemp("trained")
    job_files.write(folder, "line.py", job_files.LINE)
    train = "train {0}/line.py --steps 3 --quiet --checkpoint-dir {0}/".format(folder)
    assert main((train + "kept").split()) == 0
    assert main((train + "averaged --average 0.9").split()) == 0
    return str(folder)


@pytest.fixture(autouse=True)
def trained(trained_once, tmp_path, monkeypatch, capsys):
    """A copy of that directory, which is the current one."""
    monkeypatch.chdir(tmp_path)
    for name in os.listdir(trained_once):
        path = os.path.join(trained_once, name)
        (shutil.copytree if os.path.isdir(path) else shutil.copy)(path, name)
    capsys.readouterr()


def guesses(directory, name="w"):
    """Returns the predictions of a checkpoint's model, computed with numpy, and the labels."""
    x, y = job_files.points()
    return x.dot(tf.train.load_checkpoint(directory).get_tensor(name))[:, 0], y


@pytest.mark.parametrize("towers, batch_size", [(1, 64), (1, 5000), (3, 64), (3, 333), (3, 1000)])
def test_each_example_counts_once_for_any_batch_size(capsys, towers, batch_size):
    command = "evaluate line.py --checkpoint-dir kept --json --towers {} --batch-size {}".format(towers, batch_size)
    assert main(command.split()) == 0
    found = json.loads(capsys.readouterr().out)
    guess, y = guesses("kept")
    assert (found["examples"], found["step"]) == (1000, 3)
    # One value per example ("error") and one per batch ("loss", weighted by the batch) give the same mean.
    for name in ("error", "loss"):
        np.testing.assert_allclose(found["metrics"][name], np.mean(np.square(guess - y)), rtol=1e-5)


def test_evaluate_uses_moving_averages(capsys):
    raw, y = guesses("averaged")
    averaged, _ = guesses("averaged", "w/ExponentialMovingAverage")
    assert not np.allclose(raw, averaged, atol=1e-3)
    for option, guess in (("--average 0.9", averaged), ("", raw)):
        assert main(("evaluate line.py --checkpoint-dir averaged --json " + option).split()) == 0
        error = json.loads(capsys.readouterr().out)["metrics"]["error"]
        np.testing.assert_allclose(error, np.mean(np.square(guess - y)), rtol=1e-5)


@pytest.mark.parametrize("option, name", [("", "w"), (" --average 0.9", "w/ExponentialMovingAverage")])
def test_evaluate_restores_a_checkpoint_of_partitioned_variables(capsys, tmp_path, option, name):
    job_files.write(tmp_path, "cut.py", job_files.LINE.replace("tf.norm(w)", "tf.norm(tf.convert_to_tensor(w))"))
    train = "train cut.py --steps 3 --towers 2 --variables partitioned:4 --checkpoint-dir parts"
    assert main((train + option).split()) == 0
    capsys.readouterr()
    assert main(("evaluate cut.py --checkpoint-dir parts --json" + option).split()) == 0
    error = json.loads(capsys.readouterr().out)["metrics"]["error"]
    guess, y = guesses("parts", name)
    np.testing.assert_allclose(error, np.mean(np.square(guess - y)), rtol=1e-5)


def test_evaluate_prints_one_line(capsys):
    assert main("evaluate line.py --checkpoint-dir kept".split()) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert shown.out.startswith("test error ") and shown.out.endswith(" (1000 examples, step 3)\n")


@pytest.mark.parametrize("batch_size", [7, 1000])
def test_predict_prints_json_lines_only(capsys, batch_size):
    assert main("predict line.py --checkpoint-dir kept --batch-size {}".format(batch_size).split()) == 0
    shown = capsys.readouterr()
    rows = [json.loads(line) for line in shown.out.splitlines()]
    assert shown.err == ""
    assert [row["example"] for row in rows] == [row["predictions"]["id"] for row in rows] == list(range(1000))
    np.testing.assert_allclose([row["predictions"]["guess"] for row in rows], guesses("kept")[0], rtol=1e-4, atol=1e-5)


def test_predict_writes_npz_and_jsonl_files(capsys):
    for name in ("found.npz", "found.jsonl"):
        assert main(["predict", "line.py", "--checkpoint-dir", "kept", "--output", name]) == 0
        assert capsys.readouterr().out == "1000 predictions in {}\n".format(name)
    with np.load("found.npz", allow_pickle=False) as arrays:
        assert sorted(arrays) == ["guess", "id"]
        np.testing.assert_array_equal(arrays["id"], np.arange(1000))
        np.testing.assert_allclose(arrays["guess"], guesses("kept")[0], rtol=1e-4, atol=1e-5)
    assert len(open("found.jsonl").readlines()) == 1000


@pytest.mark.parametrize(
    "words, message",
    [
        ("evaluate line.py", "legacy-towers: error: the following arguments are required: --checkpoint-dir; see "),
        ("evaluate line.py --checkpoint-dir none", "there is no checkpoint in 'none': train first, with "),
        ("evaluate line.py --checkpoint-dir line.py", "there is no checkpoint in 'line.py'"),
        ("evaluate line.py --checkpoint-dir kept --batch-size 0", "--batch-size is 0: at least 1 is needed"),
        ("evaluate line.py --checkpoint-dir kept --average 0.9", "lacks 'w/ExponentialMovingAverage': it was written "),
        ("evaluate line.py --checkpoint-dir kept --bare", "the job has no test examples: give lt.Job(test=...)"),
        ("predict line.py --checkpoint-dir none --output x.npz", "there is no checkpoint in 'none'"),
        ("predict line.py --checkpoint-dir kept --output x.txt", "--output is 'x.txt': the name must end in "),
        ("predict line.py --checkpoint-dir kept --output no/x.npz", "--output is 'no/x.npz': there is no directory"),
    ],
)
def test_usage_errors_are_one_line_and_write_no_file(tmp_path, capsys, words, message):
    before = sorted(path.name for path in tmp_path.iterdir())
    try:
        code = main(words.split())
    except SystemExit as ended:
        code = ended.code
    shown = capsys.readouterr()
    # On a machine with other load, a line says that the graph is built.
    errors = [line for line in shown.err.splitlines() if not line.startswith("building the graph")]
    assert (code, shown.out, len(errors)) == (2, "", 1)
    assert message in shown.err
    assert sorted(path.name for path in tmp_path.iterdir()) == before


BAD_OUTPUTS = """
    from line import *

    def metric_of_wrong_shape(batch, mode):
        output = model_fn(batch, mode)
        return output._replace(metrics={"wide": tf.zeros([2, 2])}, predictions=tf.zeros([3]))

    def nothing(batch, mode):
        return lt.TowerOutput(loss=None)

    @lt.job
    def bad(kind="shape"):
        return line().replace(model_fn=metric_of_wrong_shape if kind == "shape" else nothing)
"""


@pytest.mark.parametrize(
    "words, message",
    [
        ("evaluate", "the metric 'wide' has shape [2, 2] for a batch of 100 examples: it must be a scalar or "),
        ("predict", "a prediction has shape [3] for a batch of 100 examples: its first axis must be the example"),
        ("predict --output x.npz", "a prediction has shape [3] for a batch of 100 examples"),
    ],
)
def test_outputs_with_the_wrong_shape_for_a_batch_are_rejected(tmp_path, capsys, words, message):
    path = job_files.write(tmp_path, "bad.py", BAD_OUTPUTS)
    assert main(words.split() + [path, "--checkpoint-dir", "kept"]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.glob("x.npz*"))
