"""legacy-towers chaos: disturbs a job in processes of its own, and finds what a job that resumes wrongly does."""
import json
import sys

import job_files
import preloaded
import pytest

from legacy_towers.cli.main import main

# A resumed process of the job with --wrong computes other losses.
JOB = '''
    import os, sys
    import numpy as np
    import legacy_towers as lt
    from legacy_towers.compat import tf

    @lt.job
    def line(wrong=False):
        x = np.random.RandomState(0).randn(60, 3).astype(np.float32)
        directory = sys.argv[sys.argv.index("--checkpoint-dir") + 1] if "--checkpoint-dir" in sys.argv else ""
        factor = 1.001 if wrong and os.path.exists(os.path.join(directory, "checkpoint")) else 1.0

        def model_fn(batch, mode):
            w = tf.get_variable("w", [3, 1], initializer=tf.random_normal_initializer())
            error = tf.square(tf.matmul(batch["x"], w)[:, 0] - 1.0)
            return lt.TowerOutput(loss=factor * tf.reduce_mean(error))

        return lt.Job(
            model_fn, lt.Examples.from_arrays({"x": x}), lambda step: tf.train.MomentumOptimizer(0.01, 0.9),
            per_tower_batch_size=4,
        )
'''


@pytest.fixture(autouse=True)
def preloaded_processes(monkeypatch):
    monkeypatch.setattr(sys, "executable", preloaded.executable())


def command(tmp_path, *words):
    """Returns the exit code and the report."""
    job = job_files.write(tmp_path, "line.py", JOB)
    path = tmp_path / "report.json"
    code = main(["chaos", job, "--steps", "30", "--save-steps", "8", "--runs", "1", "--json", str(path)] + list(words))
    return code, json.loads(path.read_text())


@pytest.mark.slow
def test_a_disturbed_job_loses_and_repeats_nothing(tmp_path, capsys):
    # This seed draws three faults, each in a process of its own: after the steps 2, 11 and 19.
    code, report = command(tmp_path, "--faults", "nan,kill,signal", "--seed", "29", "--input", "feed")
    assert code == 0, (report, capsys.readouterr())
    processes = report["runs"][0]["processes"]
    assert [each["fault"] for each in processes] == ["nan", "kill", "signal", None]
    assert [each["exit_code"] for each in processes][:2] == [1, -9] and processes[-1]["exit_code"] == 0
    assert report["losses_compared"] and not any(report["counts"].values())
    assert "every promise was kept" in capsys.readouterr().out


@pytest.mark.slow
def test_a_job_that_resumes_with_other_losses_is_found(tmp_path, capsys):
    # This seed draws one fault, after step 9.
    code, report = command(tmp_path, "--faults", "signal", "--seed", "4", "--wrong")
    assert code == 1, (report, capsys.readouterr())
    assert [each["kind"] for each in report["runs"][0]["findings"]] == ["trajectory"]
    assert "promises were broken in 1 of 1 runs" in capsys.readouterr().out


@pytest.mark.parametrize("words, message", [
    (["--faults", "flood"], "--faults 'flood': there is no 'flood': the faults are kill, signal, disk"),
    (["--runs", "0"], "--runs is 0: at least 1 is needed"),
    (["--seed", "-1"], "--seed is -1: at least 0 is needed"),
    (["--input", "synthetic"], "--input synthetic: synthetic batches have no examples to lose"),
], ids=["fault", "runs", "seed", "synthetic"])
def test_usage_errors(tmp_path, capsys, words, message):
    assert main(["chaos", job_files.write(tmp_path, "line.py", JOB)] + words) == 2
    assert message in capsys.readouterr().err
