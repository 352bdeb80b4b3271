"""Callbacks: what is refused, and what a job's are called with."""
import job_files
import pytest

import legacy_towers as lt
from legacy_towers.errors import ArgumentError
from legacy_towers.training.callbacks import CallbackGroup, check_callbacks
from legacy_towers.training.job import load_job
from legacy_towers.training.settings import TrainSettings
from legacy_towers.training.train import train


class Evaluations(lt.training.Callback):
    def __init__(self):
        self.calls = []

    def on_evaluation(self, step, metrics):
        self.calls.append((step, sorted(metrics)))

    def on_end(self, step):
        self.calls.append("end")


class Misspelled(lt.training.Callback):
    def on_epoch_end(self, step):
        """Nothing calls it."""


@pytest.mark.parametrize("callbacks, message", [
    (Evaluations(), "callbacks must be a list of lt.training.Callback, got <"),
    ([Evaluations], "callbacks has the class Evaluations, which is not an lt.training.Callback: derive a class"),
    ([Misspelled()], "the callback Misspelled has 'on_epoch_end', which nothing calls: a callback's methods are '"),
])
def test_what_is_no_list_of_callbacks_is_refused(callbacks, message):
    with pytest.raises(ArgumentError) as caught:
        check_callbacks(callbacks)
    assert str(caught.value).startswith(message)


def test_the_loss_of_each_step_is_fetched_only_for_those_who_want_it():
    assert not CallbackGroup([Evaluations()]).wants_steps
    assert not CallbackGroup([]).wants_steps


def test_a_job_has_hooks_and_callbacks_which_train_calls(tmp_path):
    job = load_job(job_files.write(tmp_path, "line.py", job_files.LINE))()
    assert (job.hooks, job.callbacks) == ((), [])
    evaluations, steps = Evaluations(), []

    def hooks(step):
        steps.append(step.plan.input.global_batch_size)
        return []

    job = job.replace(hooks=hooks, callbacks=[evaluations])
    with open(str(tmp_path / "log"), "w") as log:
        train(job, TrainSettings(towers=2, steps=3), log)
    assert steps == [64]
    assert evaluations.calls == [(3, ["error", "loss"]), "end"]


def test_a_job_refuses_what_are_no_callbacks(tmp_path):
    job = load_job(job_files.write(tmp_path, "line.py", job_files.LINE))()
    with pytest.raises(ArgumentError, match="callbacks has 5, which is not an lt.training.Callback"):
        job.replace(callbacks=[5])
