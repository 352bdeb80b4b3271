"""The summaries in the event file of a training run."""
import glob

import job_files

from legacy_towers.compat import tf
from legacy_towers.training.job import load_job
from legacy_towers.training.settings import TrainSettings
from legacy_towers.training.train import train


def test_each_summary_is_written_once_without_tower_names_and_the_evaluations_are(tmp_path):
    job = load_job(job_files.write(tmp_path, "line.py", job_files.LINE))()
    kept = str(tmp_path / "kept")
    with open(str(tmp_path / "log"), "w") as log:
        train(job, TrainSettings(towers=2, steps=201, checkpoint_dir=kept), log)
    values = {}
    for path in glob.glob(kept + "/events.*"):
        for event in tf.train.summary_iterator(path):
            for value in event.summary.value:
                values.setdefault(value.tag, []).append((event.step, value.simple_value))
    names = ("error", "examples_per_second", "input_wait", "learning_rate", "loss")
    assert sorted(values) == ["evaluation/error", "evaluation/loss", "length"] + ["training/" + name for name in names]
    assert [step for step, _ in values["evaluation/error"]] == [201]
    for tag in ("length", "training/loss", "training/error", "training/learning_rate"):
        assert [step for step, _ in values[tag]] == [1, 100, 200]
    assert values["training/loss"] == values["training/error"]
