"""legacy-towers parity: its findings for planted differences, and usage errors."""
import json
import os
import sys

import job_files
import preloaded
import pytest
from commands import command

# The second process computes something else, according to `plant`; files show which process is the second.
PLANTED = '''
    import os
    import numpy as np
    import legacy_towers as lt
    from legacy_towers.compat import tf

    @lt.job
    def planted(plant="", seen="seen"):
        second = os.path.exists(seen)
        # The command line calls this function before the two processes do.
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
            w = tf.get_variable("w", [3, 1], initializer=tf.ones_initializer())
            error = tf.square(tf.matmul(batch["x"], w)[:, 0] - batch["y"])
            return lt.TowerOutput(loss=tf.reduce_mean(error))

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


FOUND = [
    ("", 0, "they compute the same, within the bounds"),
    ("input", 1, "step 2, tower 0, component x: values differ by at most 1"),
    ("job", 1, "RuntimeError: this TensorFlow can't do it"),
]


# Two processes each; tests/parity plants differences of variables, losses and random operations in one process.
@pytest.mark.slow
@pytest.mark.parametrize("plant, code, message", FOUND, ids=[row[0] or "nothing" for row in FOUND])
def test_a_planted_difference_is_reported(plant, code, message, capfd, monkeypatch):
    monkeypatch.setattr(sys, "executable", preloaded.executable())
    words = ["parity", "planted.py", "--python", sys.executable, "--steps", "4", "--json", "found.json"]
    assert command(words + ["--plant", plant]) == code
    shown = capfd.readouterr()
    assert message in shown.out + shown.err
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
        assert all(row["worst"] in (None, 0.0) for row in found["findings"])  # the same TensorFlow: bit-equal


@pytest.mark.slow
@pytest.mark.skipif(
    not os.path.exists(os.environ.get("LEGACY_TOWERS_OTHER_PYTHON", "")),
    reason="LEGACY_TOWERS_OTHER_PYTHON does not name a Python with another TensorFlow",
)
def test_two_tensorflows_compute_the_same(capfd):
    assert command(["parity", "planted.py", "--python", os.environ["LEGACY_TOWERS_OTHER_PYTHON"]]) == 0
    shown = capfd.readouterr().out
    assert "against TensorFlow 1.15" in shown and "they compute the same" in shown


USAGE_ERRORS = [
    (["--python", "no/such/python"], "--python 'no/such/python' can't be run"),
    (["--python", "/bin/false"], "--python '/bin/false' has no legacy_towers"),
    (["--python", sys.executable, "--steps", "0"], "--steps is 0: at least 1 is needed"),
    (["--python", sys.executable, "--towers", "0"], "--towers is 0: at least 1 is needed"),
    (["--python", sys.executable, "--per-tower-batch-size", "0"], "--per-tower-batch-size is 0"),
    (["--python", sys.executable, "--json", "no/such/folder/x.json"], "there is no directory"),
    ([], "--python"),
]


@pytest.mark.parametrize("words, message", USAGE_ERRORS, ids=[row[1][:25] for row in USAGE_ERRORS])
def test_usage_errors(words, message, capsys):
    assert command(["parity", "planted.py"] + words) == 2
    assert message in capsys.readouterr().err
