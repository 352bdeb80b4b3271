"""Comparison of the records of input pipelines: planted differences of losses and examples, and real pipelines."""
import numpy as np
import pytest

from legacy_towers.parity.input_pipelines import Expected, compare_losses, compare_pipelines
from legacy_towers.parity.input_records import Epoch, Trajectory

DATA = Expected(list(range(100, 110)), "example {}".format)
LOSSES = [value.hex() for value in (3.0, 2.0, 1.0)]
# Three steps of two towers with two examples each; the data restarts after ten.
RIGHT = [[[100, 101], [102, 103]], [[104, 105], [106, 107]], [[108, 109], [100, 101]]]
SWAPPED = [RIGHT[0], [[106, 107], [104, 105]], RIGHT[2]]
WHOLE = Epoch([[100, 102, 104, 106, 108], [109, 107, 105, 103, 101]])

CASES = [
    ("the same", Trajectory(LOSSES, RIGHT), WHOLE, "same", True, None,
     "3 losses in the fixed order are the same bit for bit, an epoch has each of 10 examples once"),
    ("towers swapped", Trajectory(LOSSES, SWAPPED), WHOLE, "differ", True, (2, 0, "example 106"),
     "step 2, tower 0 got example 106 instead of example 104"),
    ("the last bit of a loss", Trajectory(LOSSES[:2] + [np.nextafter(1.0, 2.0).hex()], RIGHT), WHOLE,
     "same, rounding", True, None,
     "3 losses in the fixed order are the same except for rounding, with a difference of at most 2.2e-16 (bound"),
    ("another loss", Trajectory(LOSSES[:1] + [(2.1).hex()] + LOSSES[2:], RIGHT), WHOLE, "differ", True,
     (2, None, None), "in step 2 the loss is 2.1, and 2 with feed, a difference beyond rounding (bound 1e-05): "
     "the input or the model has random numbers"),
    ("one lost", Trajectory(LOSSES, RIGHT), Epoch([WHOLE.ids[0], WHOLE.ids[1][:-1]]), "same", False,
     (None, None, "example 101"), "of an epoch's 10 examples 1 lost (example 101 first)"),
    ("one repeated", Trajectory(LOSSES, RIGHT), Epoch([WHOLE.ids[0], WHOLE.ids[1] + [108]]), "same", False,
     (None, 0, "example 108"), "1 too many (example 108 first)"),
    ("no records", "it has no fixed order", "it has no epochs", None, None, None,
     "it has no fixed order; it has no epochs"),
]


@pytest.mark.parametrize(
    "trajectory, epoch, losses, same_epoch, where, message",
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_compare_pipelines_with_the_data_and_the_first_pipeline(trajectory, epoch, losses, same_epoch, where, message):
    first = Trajectory(LOSSES, RIGHT)
    rows = compare_pipelines({"feed": first, "other": trajectory}, {"feed": WHOLE, "other": epoch}, DATA, towers=2)
    assert [row.candidate for row in rows] == ["feed", "other"]
    assert rows[0].losses == "same" and rows[0].loss_difference == 0.0
    assert rows[0].same_epoch and rows[0].first_difference is None
    found = rows[1]
    assert (found.losses, found.same_epoch) == (losses, same_epoch)
    assert (found.first_difference and found.first_difference[:3]) == where
    assert message in found.sentence


@pytest.mark.parametrize(
    "difference, dtype, losses",
    [(9e-6, "float32", "same, rounding"), (3e-5, "float32", "differ"), (9e-12, "float64", "same, rounding"),
     (9e-6, "float64", "differ"), (float("nan"), "float32", "differ")],
)
def test_a_difference_is_rounding_up_to_the_bound_of_its_dtype(difference, dtype, losses):
    reference = Trajectory(LOSSES, RIGHT, dtype)
    other = Trajectory([(3.0).hex(), (2.0).hex(), (1.0 + difference).hex()], RIGHT, dtype)
    found = compare_losses(other, reference, "feed", DATA)
    assert found.answer == losses and found.bound == (1e-5 if dtype == "float32" else 1e-11)
    assert (found.first_difference is None) == (losses == "same, rounding")
    if difference == difference:
        assert found.difference == pytest.approx(difference, rel=1e-3)


@pytest.mark.parametrize("pipeline", ["feed", "queue", "dataset:split", "dataset:sharded"])
def test_records_of_real_pipelines(pipeline, tmp_path):
    import legacy_towers as lt
    from legacy_towers.compat import tf
    from legacy_towers.parity.input_records import record_trajectory

    x = np.random.RandomState(0).randn(24, 3).astype(np.float32)

    def model_fn(batch, mode):
        return lt.TowerOutput(loss=tf.reduce_mean(tf.square(tf.matmul(batch["x"], tf.get_variable("w", [3, 1])))))

    job = lt.Job(model_fn, lt.Examples.from_arrays({"x": x}), lambda step: tf.train.GradientDescentOptimizer(0.1))
    devices, config = lt.devices.cpus(2), lt.session_config(logical_cpus=2)
    path = str(tmp_path / "values.npz")
    trajectory = record_trajectory(job, pipeline, devices, config, 4, 4, path)
    stream = np.arange(32) % 24
    assert trajectory.ids == stream.reshape(4, 2, 4).tolist()
    # With the same initial values the losses are bit-equal; numpy computes them again.
    assert record_trajectory(job, "feed", devices, config, 4, 4, path).losses == trajectory.losses
    w = np.load(path, allow_pickle=False)
    weights = next(w[key] for key in w.files if w[key].shape == (3, 1)).astype(np.float64)
    for step, loss in enumerate(trajectory.losses):
        rows = x[stream[step * 8:step * 8 + 8]].astype(np.float64)
        assert float.fromhex(loss) == pytest.approx(np.mean(rows.dot(weights) ** 2), rel=1e-5)
        weights -= 0.1 * 2 * rows.T.dot(rows.dot(weights)) / 8


@pytest.mark.parametrize("pipeline", ["dataset:split"])
def test_record_epoch_reads_to_the_last_example(pipeline):
    import legacy_towers as lt
    from legacy_towers.parity.input_records import record_epoch

    job = lt.Job(None, lt.Examples.from_arrays({"x": np.zeros([23, 3])}, seed=1), None)
    epoch = record_epoch(job, pipeline, lt.devices.cpus(2), lt.session_config(logical_cpus=2), 4)
    assert sorted(epoch.ids[0] + epoch.ids[1]) == list(range(23))
    assert epoch.ids[0] != sorted(epoch.ids[0])
