"""What is said of the records of several ways: planted losses, repeats and swaps are found and named."""
import numpy as np
import pytest

from legacy_towers.parity.way_records import Epoch, Trajectory
from legacy_towers.parity.ways import Expected, compare_ways

DATA = Expected(list(range(100, 110)), "example {}".format)
LOSSES = [value.hex() for value in (3.0, 2.0, 1.0)]
# Three steps of two towers with two examples each; the data begins anew after ten.
RIGHT = [[[100, 101], [102, 103]], [[104, 105], [106, 107]], [[108, 109], [100, 101]]]
SWAPPED = [RIGHT[0], [[106, 107], [104, 105]], RIGHT[2]]
WHOLE = Epoch([[100, 102, 104, 106, 108], [109, 107, 105, 103, 101]])

CASES = [
    ("the same", Trajectory(LOSSES, RIGHT), WHOLE, True, True, None,
     "3 losses in the fixed order are the same bit for bit, an epoch has each of 10 examples once"),
    ("towers swapped", Trajectory(LOSSES, SWAPPED), WHOLE, False, True, (2, 0, "example 106"),
     "step 2, tower 0 got example 106 where the data has example 104"),
    ("the last bit of a loss", Trajectory(LOSSES[:2] + [np.nextafter(1.0, 2.0).hex()], RIGHT), WHOLE, False, True,
     (3, None, None), "in step 3 the loss is 1, and 1 by feed: that is rounding"),
    ("another loss", Trajectory(LOSSES[:1] + [(2.1).hex()] + LOSSES[2:], RIGHT), WHOLE, False, True,
     (2, None, None), "in step 2 the loss is 2.1, and 2 by feed: something in the input or the model is random"),
    ("one lost", Trajectory(LOSSES, RIGHT), Epoch([WHOLE.ids[0], WHOLE.ids[1][:-1]]), True, False,
     (None, None, "example 101"), "of an epoch's 10 examples 1 lost (example 101 first)"),
    ("one repeated", Trajectory(LOSSES, RIGHT), Epoch([WHOLE.ids[0], WHOLE.ids[1] + [108]]), True, False,
     (None, 0, "example 108"), "1 too many (example 108 first)"),
    ("nothing recorded", "it has no fixed order", "it has no epochs", None, None, None,
     "it has no fixed order; it has no epochs"),
]


@pytest.mark.parametrize(
    "trajectory, epoch, same_trajectory, same_epoch, where, said",
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_a_way_against_the_data_and_the_first_way(trajectory, epoch, same_trajectory, same_epoch, where, said):
    first = Trajectory(LOSSES, RIGHT)
    rows = compare_ways({"feed": first, "other": trajectory}, {"feed": WHOLE, "other": epoch}, DATA, towers=2)
    assert [row.candidate for row in rows] == ["feed", "other"]
    assert rows[0].same_trajectory and rows[0].same_epoch and rows[0].first_difference is None
    found = rows[1]
    assert (found.same_trajectory, found.same_epoch) == (same_trajectory, same_epoch)
    assert (found.first_difference and found.first_difference[:3]) == where
    assert said in found.sentence


@pytest.mark.parametrize("way", ["feed", "queue", "dataset:split", "dataset:sharded"])
def test_records_of_real_ways(way, tmp_path):
    import legacy_towers as lt
    from legacy_towers.compat import tf
    from legacy_towers.parity.way_records import record_trajectory

    x = np.random.RandomState(0).randn(24, 3).astype(np.float32)

    def model_fn(batch, mode):
        return lt.TowerOutput(loss=tf.reduce_mean(tf.square(tf.matmul(batch["x"], tf.get_variable("w", [3, 1])))))

    job = lt.Job(model_fn, lt.Examples.from_arrays({"x": x}), lambda step: tf.train.GradientDescentOptimizer(0.1))
    devices, config = lt.devices.cpus(2), lt.session_config(logical_cpus=2)
    path = str(tmp_path / "values.npz")
    trajectory = record_trajectory(job, way, devices, config, 4, 4, path)
    stream = np.arange(32) % 24
    assert trajectory.ids == stream.reshape(4, 2, 4).tolist()
    # From one file of initial values the losses are the same bits; numpy computes them once more.
    assert record_trajectory(job, "feed", devices, config, 4, 4, path).losses == trajectory.losses
    w = np.load(path)
    weights = next(w[key] for key in w.files if w[key].shape == (3, 1)).astype(np.float64)
    for step, loss in enumerate(trajectory.losses):
        rows = x[stream[step * 8:step * 8 + 8]].astype(np.float64)
        assert float.fromhex(loss) == pytest.approx(np.mean(rows.dot(weights) ** 2), rel=1e-5)
        weights -= 0.1 * 2 * rows.T.dot(rows.dot(weights)) / 8


@pytest.mark.parametrize("way", ["dataset:split"])
def test_an_epoch_of_a_real_way_is_read_to_its_last_example(way):
    import legacy_towers as lt
    from legacy_towers.parity.way_records import record_epoch

    job = lt.Job(None, lt.Examples.from_arrays({"x": np.zeros([23, 3])}, seed=1), None)
    epoch = record_epoch(job, way, lt.devices.cpus(2), lt.session_config(logical_cpus=2), 4)
    assert sorted(epoch.ids[0] + epoch.ids[1]) == list(range(23))
    assert epoch.ids[0] != sorted(epoch.ids[0])
