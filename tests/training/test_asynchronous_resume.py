"""Towers that train asynchronously: what a resumed run promises, and what it uses."""
import threading

import numpy as np
import pytest
from resuming import COUNT, ROWS, arrays, pipeline


def train(make, directory, until, towers, used, pauses=True):
    """Trains until a global step, or the end of the data; adds the ids of all updates to `used`.

    Returns what the store says of where the run began, and the plan.
    """
    import legacy_towers as lt
    from legacy_towers.compat import tf

    lock = threading.Lock()

    def record(ids):
        with lock:
            used.extend(ids.tolist())
        return np.bool_(True)

    def model_fn(batch, mode):
        w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
        recorded = tf.numpy_function(record, [batch["id"]], tf.bool)
        with tf.control_dependencies([recorded]):
            return lt.TowerOutput(loss=tf.reduce_mean(tf.square(tf.matmul(batch["x"], w) - 1.0), axis=1))

    with tf.Graph().as_default():
        step = lt.build_train_step(
            model_fn, make(), tf.train.GradientDescentOptimizer(0.01),
            ["/cpu:{}".format(each) for each in range(towers)], variables=lt.variables.Asynchronous(),
        )
        if until is not None:
            step.asynchronous.stop_at(until)
        with lt.training.CheckpointStore(directory, lt.training.CheckpointOptions(save_steps=3)) as store:
            listeners = [step.asynchronous.pausing_listener()] if pauses else []
            hooks = step.hooks + [lt.training.CheckpointHook(store, listeners)]
            if until is not None:
                hooks.append(tf.train.StopAtStepHook(last_step=until))
            with tf.train.MonitoredTrainingSession(
                hooks=hooks, scaffold=store.scaffold(), config=lt.session_config(logical_cpus=towers)
            ) as session:
                while not session.should_stop():
                    session.run(step.train_op)
            return store.resumed, step.plan.input


def own_dataset(**options):
    import legacy_towers as lt
    from legacy_towers.compat import tf

    rows = tf.data.Dataset.from_tensor_slices({"id": np.arange(COUNT, dtype=np.int64), "x": ROWS})
    return lt.inputs.from_dataset(rows.shuffle(COUNT, seed=2).repeat(2).batch(2), route="next_per_tower")


def own_queue():
    import legacy_towers as lt
    from legacy_towers.compat import tf

    queue = tf.FIFOQueue(20, [tf.int64, tf.float32], [[], [3]], names=["id", "x"])
    return lt.inputs.from_queue(queue, per_tower_batch_size=2, feed_with=TwoEpochs, resumable=True)


class TwoEpochs:
    """Batches of 5 examples of two epochs."""

    def __init__(self):
        self.row = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.row == 2 * COUNT:
            raise StopIteration
        rows = np.arange(self.row, self.row + 5) % COUNT
        self.row += 5
        return {"id": rows, "x": ROWS[rows]}

    def state_dict(self):
        return {"row": self.row}

    def load_state_dict(self, state):
        self.row = state["row"]


ONCE = {
    "dataset": lambda: pipeline("dataset:next_per_tower", seed=3, per_tower_batch_size=2, epochs=2),
    "short": lambda: pipeline("dataset:next_per_tower", per_tower_batch_size=3, epochs=2, remainder="short"),
    "shuffling queue": lambda: pipeline("queue", per_tower_batch_size=2, epochs=2),
    "queue in order": lambda: pipeline("queue", shuffle=False, threads=1, per_tower_batch_size=2, epochs=2),
    "own dataset": own_dataset,
    "own queue": own_queue,
}


@pytest.mark.parametrize("name", ONCE)
def test_asynchronous_towers_use_each_example_once_per_epoch(name, tmp_path):
    """Two epochs in three runs of 3, 2 and 3 towers."""
    used = []
    for until, towers in ((7, 3), (13, 2), (None, 3)):
        before = len(used)
        resumed, plan = train(ONCE[name], str(tmp_path), until, towers, used)
        assert plan.resume == "once per epoch"
        if "queue" not in name or name == "own queue":
            assert "begins after those that were used" in plan.resume_reason
        per_batch = 2 if name == "own dataset" else 1  # whose position counts batches
        assert (resumed.examples * per_batch if resumed else 0) == before and not (resumed and resumed.note)
    assert sorted(used) == sorted(list(range(COUNT)) * 2)


def test_a_run_killed_between_two_checkpoints_repeats_only_what_it_used_after_the_last(tmp_path):
    import shutil

    used = []
    train(ONCE["dataset"], str(tmp_path / "run"), 8, 3, used)
    for path in list((tmp_path / "run").iterdir()):
        if "model.ckpt-8" in path.name:
            path.unlink()
    shutil.copytree(str(tmp_path / "run"), str(tmp_path / "killed"))
    again = []
    resumed, _ = train(ONCE["dataset"], str(tmp_path / "killed"), None, 3, again)
    saved = resumed.examples
    # The checkpoint counts the updates of all towers up to its step.
    assert 2 * 3 <= saved < 2 * 8 and len(again) == 2 * COUNT - saved
    assert sorted(used[:saved] + again) == sorted(list(range(COUNT)) * 2)


def test_a_checkpoint_that_is_saved_while_towers_train_has_no_position(tmp_path):
    train(ONCE["dataset"], str(tmp_path), 30, 3, [], pauses=False)
    steps = {int(path.name[len("model.ckpt-"):-len(".index")]) for path in tmp_path.glob("*.index")}
    with_position = {int(path.name[len("model.ckpt-"):-len(".input")]) for path in tmp_path.glob("*.input")}
    # The last one is saved after the towers have ended, unless it was due before.
    assert steps - {0, 30} and 0 in with_position and with_position <= {0, 30}
    for path in tmp_path.glob("model.ckpt-30*"):
        path.unlink()
    with pytest.warns(UserWarning, match="has no position of the input, as one that is saved while asynchronous"):
        resumed, _ = train(ONCE["dataset"], str(tmp_path), 31, 3, [])
    assert resumed.examples == 0


def test_shards_of_asynchronous_towers_are_refused_and_one_tower_is_exact():
    import legacy_towers as lt
    from legacy_towers.compat import tf

    def model_fn(batch, mode):
        return lt.TowerOutput(loss=tf.reduce_sum(batch["x"] * tf.get_variable("w", [3]), axis=1))

    def promise(make, towers):
        with tf.Graph().as_default():
            step = lt.build_train_step(
                model_fn, make(), tf.train.GradientDescentOptimizer(0.01), lt.devices.cpus(towers),
                variables=lt.variables.Asynchronous(),
            )
            return step.plan.input.resume, step.plan.input.resume_reason

    name, reason = promise(lambda: pipeline("dataset:sharded", arrays), 2)
    assert name == "refused" and 'from_dataset with route="next_per_tower", resumes once per epoch' in reason
    assert promise(lambda: pipeline("dataset", arrays, seed=3), 1)[0] == "exact"
