"""The evaluator task of a training run: which checkpoints it evaluates, what it writes, and how it ends."""
import io
import json
import os

import job_files
import pytest

import legacy_towers as lt
from legacy_towers.cluster.value import Task
from legacy_towers.cluster.watch import Silent
from legacy_towers.training.checkpoints.ended import Ended, read_ended, remove_ended, write_ended
from legacy_towers.training.checkpoints.files import names_in
from legacy_towers.training.evaluation.evaluate import evaluate
from legacy_towers.training.job import load_job
from legacy_towers.training.runs import evaluating
from legacy_towers.training.runs.evaluating import evaluate_run
from legacy_towers.training.settings import TrainSettings
from legacy_towers.training.train import train


@pytest.fixture
def trained(tmp_path):
    """Returns a job, and the settings of a run of it that has checkpoints of the steps 0, 4, 8 and 10."""
    job = load_job(job_files.write(tmp_path, "line.py", job_files.LINE))()
    settings = TrainSettings(checkpoint_dir=str(tmp_path / "run"), steps=10, save_steps=4, per_tower_batch_size=50)
    train(job, settings, io.StringIO())
    return job, settings._replace(evaluator=True)


class Chief:
    """Stands for the watch of a chief that ends, or is lost, when it is asked for the n-th time."""

    def __init__(self, asked, then):
        self.asked, self.then, self.stopped = asked, then, False

    def silent(self):
        self.asked -= 1
        return self.then() or [] if self.asked == 0 else []

    def stop(self):
        self.stopped = True


def end(directory, signal=0):
    with lt.training.CheckpointStore(directory) as store:
        write_ended(store, Ended(10, signal))


def run(job, settings, chief, monkeypatch):
    monkeypatch.setattr(evaluating, "_POLL_SECONDS", 0.0)
    stream = io.StringIO()
    return evaluate_run(job, settings, stream, lambda is_over: chief), stream.getvalue().splitlines()


def test_an_evaluator_evaluates_each_checkpoint_once_and_ends_with_the_training(trained, monkeypatch):
    job, settings = trained
    chief = Chief(3, lambda: end(settings.checkpoint_dir))
    evaluated, lines = run(job, settings, chief, monkeypatch)
    assert evaluated.interrupted is None and chief.stopped
    assert [each.step for each in evaluated.evaluations] == [0, 4, 8, 10]
    assert evaluated.evaluations[-1] == evaluate(job, settings.checkpoint_dir)
    assert lines == [str(each) for each in evaluated.evaluations]
    folder = os.path.join(settings.checkpoint_dir, "eval")
    with open(os.path.join(folder, "metrics.jsonl")) as file:
        records = [json.loads(line) for line in file]
    assert [(each["step"], each["evaluation"]["error"]) for each in records] == [
        (each.step, each.metrics["error"]) for each in evaluated.evaluations
    ]
    assert len([name for name in names_in(folder) if ".tfevents." in name]) == 4

    # Started again: after a checkpoint of a later step, with the end of the training in its file.
    remove_ended(settings.checkpoint_dir)
    train(job, settings._replace(steps=12, evaluator=False), io.StringIO())
    end(settings.checkpoint_dir, signal=15)
    evaluated, lines = run(job, settings, None, monkeypatch)
    assert [each.step for each in evaluated.evaluations] == [0, 4, 8, 10, 12]
    assert len(lines) == 1 and evaluated.interrupted == 15


def test_an_evaluator_ends_with_an_error_when_the_chief_is_lost(trained, monkeypatch):
    job, settings = trained
    lost = [Silent(Task("worker", 0), "has ended: nothing listens at h1:2222", True)]
    message = "the evaluator waits for checkpoints of worker:0, which has ended: nothing listens at h1:2222"
    with pytest.raises(lt.errors.MissingTaskError, match=message):
        run(job, settings, Chief(2, lambda: lost), monkeypatch)


def test_an_evaluator_reports_a_checkpoint_that_it_cannot_evaluate(trained, monkeypatch):
    job, settings = trained
    end(settings.checkpoint_dir)
    prefix = os.path.join(settings.checkpoint_dir, "model.ckpt-")
    with open(prefix + "4.data-00000-of-00001", "ab") as file:
        file.write(b"x")
    real = evaluating.damage

    def removed_meanwhile(checkpoint):
        if checkpoint == prefix + "8":
            os.remove(checkpoint + ".index")
        return real(checkpoint)

    monkeypatch.setattr(evaluating, "damage", removed_meanwhile)
    evaluated, lines = run(job, settings, None, monkeypatch)
    assert [each.step for each in evaluated.evaluations] == [0, 10]
    assert lines[1].startswith("the checkpoint {}4 is not evaluated: ".format(prefix))
    assert lines[2] == "the checkpoint of step 8 is not evaluated: it was removed before that; --keep keeps more"


def test_the_end_of_a_training_is_read_until_the_next_one_begins(tmp_path):
    directory = str(tmp_path)
    assert read_ended(directory) is None
    end(directory, signal=2)
    assert read_ended(directory) == Ended(10, 2)
    remove_ended(directory)
    remove_ended(directory)
    assert read_ended(directory) is None
