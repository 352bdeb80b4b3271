"""legacy-towers parity: two processes, one job; what it says, finds and refuses."""
import json
import os
import sys

import job_files
import pytest

from legacy_towers.cli.main import main

# Its second process computes something else, as `plant` says; which one it is, it tells by a file.
PLANTED = '''
    import os
    import numpy as np
    import legacy_towers as lt
    from legacy_towers.compat import tf

    @lt.job
    def planted(plant="", seen="seen"):
        second = os.path.exists(seen)
        # The command line makes the job once before the two processes do.
        if os.path.exists("called") and not second:
            open(seen, "w").close()
        open("called", "w").close()
        odd = plant if second else ""
        if odd == "job":
            raise RuntimeError("this TensorFlow can't do it")
        x = np.random.RandomState(0).randint(-3, 4, [64, 3]).astype(np.float32)  # sums are exact
        if odd == "input":
            x[9] += 1

        def model_fn(batch, mode):
            name = "v" if odd == "variable" else "w"
            w = tf.get_variable(name, [3, 1], initializer=tf.ones_initializer())
            error = tf.square(tf.matmul(batch["x"], w)[:, 0] - batch["y"])
            loss = tf.reduce_mean(error) * (1.001 if odd == "loss" else 1.0)
            if plant == "dropout":
                loss = tf.reduce_mean(tf.nn.dropout(error, rate=0.5))
            if odd == "gradient":
                loss += 0.1 * (loss - tf.stop_gradient(loss))
            return lt.TowerOutput(loss=loss)

        return lt.Job(
            model_fn,
            train=lt.Examples.from_arrays({"x": x, "y": x.dot(np.float32([1, 2, 3]))}),
            optimizer=lambda step: tf.train.MomentumOptimizer(0.05, 0.9),
            per_tower_batch_size=4,
        )
'''


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    job_files.write(tmp_path, "planted.py", PLANTED)
    return tmp_path


def command(words):
    try:
        return main(words)
    except SystemExit as ended:
        return ended.code


FOUND = [
    ("", 0, "they compute the same, within the bounds"),
    ("variable", 1, "only the first has 'v/Momentum'"),
    ("input", 1, "step 2, tower 0, component x: values differ by at most 1"),
    ("loss", 1, "they part at: forward, gradients, trajectory"),
    ("gradient", 1, "they part at: gradients"),
    ("dropout", 1, "the forward pass draws random numbers"),
    ("job", 1, "RuntimeError: this TensorFlow can't do it"),
]


@pytest.mark.slow
@pytest.mark.parametrize("plant, code, said", FOUND, ids=[row[0] or "nothing" for row in FOUND])
def test_what_differs_is_found_and_named(plant, code, said, capfd):
    words = ["parity", "planted.py", "--python", sys.executable, "--steps", "4", "--json", "found.json"]
    assert command(words + ["--plant", plant]) == code
    shown = capfd.readouterr()
    if plant == "variable":
        said = "only the first has 'w', 'w/Momentum'; only the second has 'v', 'v/Momentum'"
    assert said in shown.out + shown.err
    if plant == "job":
        assert "planted.py" in shown.err and not os.path.exists("found.json")
        return
    with open("found.json") as source:
        found = json.load(source)
    assert found["agrees"] is (code == 0)
    assert found["findings"][0]["subject"] == "variables"
    if plant == "":
        assert [row["subject"] for row in found["findings"] if row["agrees"]] == [
            "variables", "input", "forward", "gradients", "trajectory"
        ]
        assert all(row["worst"] in (None, 0.0) for row in found["findings"])  # one TensorFlow, so not a bit apart


@pytest.mark.slow
@pytest.mark.skipif(
    not os.path.exists(os.environ.get("LEGACY_TOWERS_OTHER_PYTHON", "")),
    reason="LEGACY_TOWERS_OTHER_PYTHON names no other Python, with another TensorFlow",
)
def test_two_tensorflows_compute_the_same(capfd):
    assert command(["parity", "planted.py", "--python", os.environ["LEGACY_TOWERS_OTHER_PYTHON"]]) == 0
    said = capfd.readouterr().out
    assert "against TensorFlow 1.15" in said and "they compute the same" in said


REFUSED = [
    (["--python", "no/such/python"], "--python 'no/such/python' can't be run"),
    (["--python", "/bin/false"], "--python '/bin/false' has no legacy_towers"),
    (["--python", sys.executable, "--steps", "0"], "--steps is 0: at least 1 is needed"),
    (["--python", sys.executable, "--towers", "0"], "--towers is 0: at least 1 is needed"),
    (["--python", sys.executable, "--per-tower-batch-size", "0"], "--per-tower-batch-size is 0"),
    (["--python", sys.executable, "--json", "no/such/folder/x.json"], "there is no directory"),
    ([], "--python"),
]


@pytest.mark.parametrize("words, said", REFUSED, ids=[row[1][:25] for row in REFUSED])
def test_wrong_use_is_one_sentence(words, said, capsys):
    assert command(["parity", "planted.py"] + words) == 2
    assert said in capsys.readouterr().err
