"""What training writes into its event file."""
import glob

import job_files

from legacy_towers.compat import tf
from legacy_towers.jobs import load_job
from legacy_towers.training import TrainSettings, train


def test_each_summary_is_there_once_without_a_tower_and_without_the_evaluation(tmp_path):
    job = load_job(job_files.write(tmp_path, "line.py", job_files.LINE))()
    kept = str(tmp_path / "kept")
    with open(str(tmp_path / "log"), "w") as log:
        train(job, TrainSettings(towers=2, steps=201, checkpoint_dir=kept), log)
    (path,) = glob.glob(kept + "/events.*")
    values = {}
    for event in tf.train.summary_iterator(path):
        for value in event.summary.value:
            values.setdefault(value.tag, []).append((event.step, value.simple_value))
    assert sorted(values) == ["global_error", "global_loss", "length"]
    for found in values.values():
        assert [step for step, _ in found] == [1, 101, 201]
    assert values["global_loss"] == values["global_error"]
