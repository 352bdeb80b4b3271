"""legacy-towers init: each job file that it writes trains, evaluates, predicts, exports and compares as it is."""
import json
import os

import numpy as np
import pytest

from legacy_towers.cli.main import main
from legacy_towers.compat import tf
from legacy_towers.training.starter_job import DATA, starter_job


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def command(words, code=0):
    assert main(words.split()) == code


@pytest.mark.needs_layers
@pytest.mark.parametrize("data", DATA)
def test_a_new_job_does_all_that_a_job_does(data, capsys):
    name = "my_{}.py".format(data)  # a name of its own: the files are imported into one process
    command("init {} --data {}".format(name, data))
    assert capsys.readouterr().out.endswith("legacy-towers train {} --towers 2 --checkpoint-dir run\n".format(name))
    command("train {} --towers 2 --epochs 2 --checkpoint-dir run --quiet".format(name))
    capsys.readouterr()
    command("evaluate {} --checkpoint-dir run --json".format(name))
    found = json.loads(capsys.readouterr().out)
    assert (found["examples"], found["step"]) == (500, 62)
    assert found["metrics"]["accuracy"] > 0.6  # a third is chance
    command("predict {} --checkpoint-dir run --output found.npz".format(name))
    command("export {} --checkpoint-dir run --output models/1".format(name))
    with tf.Graph().as_default(), tf.Session() as session, np.load("found.npz") as predicted:
        signature = tf.saved_model.load(session, ["serve"], "models/1").signature_def["serving_default"]
        assert list(signature.inputs) == ["x"] and sorted(signature.outputs) == sorted(predicted) == [
            "class", "probabilities"
        ]
        assert predicted["class"].shape == (500,)
    folder = {"tfrecord": ["my-tfrecord-data"], "csv": ["my-csv-data"]}.get(data, [])
    assert set(os.listdir(".")) - {"__pycache__"} == {"found.npz", "models", "run", name} | set(folder)
    if folder:
        command("train {} --steps 1 --data-dir mistyped".format(name), code=2)
        assert "mistyped" in capsys.readouterr().err and not os.path.exists("mistyped")


@pytest.mark.parametrize(
    "path, name",
    [("a/b.py", "b"), ("my-job.py", "my_job"), ("1.py", "job_1"), ("class.py", "job_class"), ("tf.py", "job_tf")],
)
def test_the_job_has_the_name_of_its_file(path, name):
    assert "\ndef {}(learning_rate=0.05):\n".format(name) in starter_job(path)


@pytest.mark.parametrize(
    "words, message",
    [
        ("init", "FILE is 'job.py', which exists: name another one"),
        ("init train.txt", "FILE is 'train.txt': the name of a job file ends in .py"),
        ("init no/job.py", "FILE is 'no/job.py': there is no directory "),
    ],
)
def test_no_file_is_overwritten_or_written_elsewhere(words, message, capsys):
    with open("job.py", "w") as stream:
        stream.write("mine")
    command(words, code=2)
    assert message in capsys.readouterr().err
    with open("job.py") as stream:
        assert (stream.read(), os.listdir(".")) == ("mine", ["job.py"])
