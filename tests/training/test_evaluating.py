"""The evaluator task of a training run: which checkpoints it evaluates, what it writes, and how it ends."""
import io
import json
import os

import job_files
import pytest

import legacy_towers as lt
from legacy_towers.cluster.value import Task
from legacy_towers.cluster.watch import Silent
from legacy_towers.compat import tf
from legacy_towers.training.checkpoints.best import read_best
from legacy_towers.training.checkpoints.ended import Ended, read_ended, remove_ended, write_ended
from legacy_towers.training.checkpoints.files import names_in
from legacy_towers.training.checkpoints.newest import list_checkpoints
from legacy_towers.training.evaluation.evaluate import evaluate
from legacy_towers.training.evaluation.evaluator import Evaluation
from legacy_towers.training.evaluation.history import write_history
from legacy_towers.training.evaluation.options import EarlyStopping, Stopped
from legacy_towers.training.evaluation.stop_request import read_stop_request, write_stop_request
from legacy_towers.training.hooks import requested_stop
from legacy_towers.training.job import load_job
from legacy_towers.training.runs import evaluating
from legacy_towers.training.runs.evaluating import evaluate_run
from legacy_towers.training.runs.workers import with_worker_defaults
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

    def report(evaluation):
        stream.write("{}\n".format(evaluation))

    return evaluate_run(job, settings, stream, lambda is_over: chief, report), stream.getvalue().splitlines()


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
    # In the order in which TensorBoard reads them.
    events = sorted(os.path.join(folder, name) for name in names_in(folder) if ".tfevents." in name)
    read = [event for path in events for event in tf.train.summary_iterator(path)]
    assert [event.step for event in read if event.HasField("summary")] == [0, 4, 8, 10]

    # Started again: after a checkpoint of a later step, with the end of the training in its file.
    remove_ended(settings.checkpoint_dir)
    train(job, settings._replace(steps=12, evaluator=False), io.StringIO())
    end(settings.checkpoint_dir, signal=15)
    evaluated, lines = run(job, settings, None, monkeypatch)
    assert [each.step for each in evaluated.evaluations] == [0, 4, 8, 10, 12]
    assert lines == [
        "the evaluations before step 11 are those of an earlier evaluator of this run; checkpoints that were removed "
        "since then are not evaluated", str(evaluated.evaluations[-1]),
    ]
    assert evaluated.interrupted == 15


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


def test_an_evaluator_finds_the_best_checkpoint_and_asks_to_stop_early(trained, monkeypatch):
    job, settings = trained
    end(settings.checkpoint_dir)
    # The error falls with each step: step 0 has the highest.
    evaluated, _ = run(job, settings._replace(stop_early="max:error", patience=2), None, monkeypatch)
    errors = {each.step: each.metrics["error"] for each in evaluated.evaluations}
    assert max(errors, key=errors.get) == 0
    assert evaluated.best.startswith(os.path.join(settings.checkpoint_dir, "model.ckpt-0 (error "))
    assert read_best(settings.checkpoint_dir, "max:error").value == errors[0]
    stopped = read_stop_request(os.path.join(settings.checkpoint_dir, "eval"))
    assert (stopped.step, stopped.best_step, stopped.waited) == (8, 0, 2)

    # --keep-best alone, by another metric, over all evaluations that are there.
    evaluated, lines = run(job, settings._replace(keep_best="min:error"), None, monkeypatch)
    assert len(lines) == 1 and lines[0].startswith("the evaluations before step 11 are those of an earlier evaluator")
    assert evaluated.best.startswith(os.path.join(settings.checkpoint_dir, "model.ckpt-10 (error "))
    with pytest.raises(lt.errors.ArgumentError, match="--stop-early max:accuracy: there is no metric 'accuracy'"):
        run(job, settings._replace(stop_early="max:accuracy"), None, monkeypatch)
    cluster = lt.cluster.from_environment({}, hosts="worker=node:2222", task="worker:0")
    chiefs = with_worker_defaults(job, settings._replace(stop_early="max:accuracy"), cluster)
    with pytest.raises(lt.errors.ArgumentError, match="--keep-best or --stop-early max:accuracy: there is no metric"):
        train(*chiefs, io.StringIO())


class StandIn(tf.train.SessionRunHook):
    """Writes what an evaluator would: the best of three evaluations is that of step 4, and the others are worse."""

    def __init__(self, directory):
        self.directory, self.step = os.path.join(directory, "eval"), 0

    def after_run(self, run_context, run_values):
        self.step += 1
        if self.step not in (5, 9):
            return
        errors = {0: 3.0, 4: 1.0} if self.step == 5 else {0: 3.0, 4: 1.0, 8: 2.0}
        evaluations = [Evaluation(step, 1000, {"error": error}) for step, error in errors.items()]
        with lt.training.CheckpointStore(self.directory) as store:
            write_history(store, evaluations)
            if self.step == 9:
                write_stop_request(store, EarlyStopping("min:error", patience=1).stopped(evaluations))


def test_the_chief_keeps_the_best_checkpoint_of_an_evaluator_and_stops_when_it_asks(tmp_path, monkeypatch):
    monkeypatch.setattr(requested_stop, "_POLL_SECONDS", 0.0)
    directory = str(tmp_path / "run")
    job = load_job(job_files.write(tmp_path, "line.py", job_files.LINE))()
    settings = TrainSettings(
        checkpoint_dir=directory, steps=40, save_steps=2, keep=1, keep_best="min:error", evaluator=True,
        per_tower_batch_size=50,
    )
    stale = lt.training.CheckpointStore(os.path.join(directory, "eval"))
    with stale:  # of an earlier run
        write_stop_request(stale, Stopped("min:error", 1, 0, 1.0, 1, 0.0))
    job = job.replace(hooks=[StandIn(directory)])
    trained = train(job, settings, io.StringIO())
    assert trained.step == 10 and trained.stopped_early == (
        "stopped early at step 10: error was lowest with 1.0000 at step 4 and has not fallen in the 1 evaluation since"
    )
    assert sorted(each.step for each in list_checkpoints(directory)) == [4, 10]
    assert read_best(directory, "min:error").step == 4 and trained.best is None


def test_the_end_of_a_training_is_read_until_the_next_one_begins(tmp_path):
    directory = str(tmp_path)
    assert read_ended(directory) is None
    end(directory, signal=2)
    assert read_ended(directory) == Ended(10, 2)
    remove_ended(directory)
    remove_ended(directory)
    assert read_ended(directory) is None
