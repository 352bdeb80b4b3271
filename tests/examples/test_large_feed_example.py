"""examples/large_feed.py: large batches, which are fed without copies."""
import os
import re

import numpy as np
import preloaded
import pytest
from processes import run

SMALL = ["--rows", 64, "--columns", 128, "--batch", 8]


def test_the_rows_are_aligned_and_of_eight_classes(load_example):
    large_feed = load_example("large_feed")
    data = large_feed.make_rows(48, 64)
    assert data["x"].shape == (48, 64) and data["x"].dtype == np.float32
    assert data["x"].ctypes.data % 64 == 0
    assert np.bincount(data["label"]).tolist() == [6] * 8
    same, other = data["x"][0] - data["x"][8], data["x"][0] - data["x"][1]
    assert np.abs(same).max() <= 2 + 1e-6 < np.abs(other).max()  # rows of a class differ by noise only


@pytest.mark.parametrize("pipeline", ["feed", "feed:background", "synthetic", "queue", "dataset"])
def test_training_with_every_input_pipeline(command, pipeline):
    code, out, _ = command("train", "large_feed.py", "--towers", 2, "--steps", 4, "--input", pipeline, *SMALL)
    assert code == 0
    assert re.search(r"^trained 4 steps to a loss of \d", out, re.MULTILINE)


def test_training_learns_the_classes(seeded, command):
    options = ["--towers", 2, "--steps", 40, "--shuffle", "--learning-rate", 0.02]
    code, out, _ = command("train", "large_feed.py", *(options + SMALL))
    assert code == 0
    assert float(re.search(r"^trained 40 steps to a loss of (\d[\d.e-]*)", out, re.MULTILINE).group(1)) < 1.5  # log(8)


def test_each_step_feeds_64_mb_without_a_copy(load_example):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    large_feed = load_example("large_feed")
    job = large_feed.large_feed()
    pipeline = lt.inputs.feed(job.train, per_tower_batch_size=job.per_tower_batch_size)
    step = lt.build_train_step(job.model_fn, pipeline, job.optimizer, lt.devices.cpus(4))
    with tf.Session(config=lt.session_config(logical_cpus=4)) as session, step.running(session) as run_step:
        run_step()
        run_step()
    hook = step.input.hooks[0]
    labels = 2 * 4 * 256 * 8
    assert hook.fed_bytes == 2 * (64 << 20) + labels
    assert hook.copied_bytes <= labels


@pytest.mark.slow
def test_the_script_runs(tmp_path):
    script = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "large_feed.py")
    arguments = [str(argument) for argument in SMALL] + ["--towers", "2", "--steps", "3", "--input", "feed:background"]
    done = run([preloaded.executable(), os.path.abspath(script)] + arguments, cwd=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "trained 3 steps" in done.stdout
