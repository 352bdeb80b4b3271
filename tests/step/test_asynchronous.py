"""Asynchronous training by build_train_step: every input pipeline, both kinds of session, and how training ends."""
import os
import threading

import numpy as np
import pytest
import waiting
from diagonals import diagonals

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, InputError
from legacy_towers.inputs.named import make_pipeline
from legacy_towers.specs.pipelines import PIPELINES

COUNT = 96
RATE = 0.25
TRAINS = ["synthetic", "queue", "dataset", "dataset:next_per_tower", "dataset:sharded"]


def examples(count=COUNT):
    return lt.Examples.from_arrays({"id": np.arange(count), "x": np.arange(2.0 * count).reshape(count, 2)})


def linear(batch, mode):
    """A model whose gradient is the sum of its examples, for any values of the variables."""
    w = tf.get_variable("w", [2], tf.float64, tf.zeros_initializer())
    seen = tf.get_variable("seen", [COUNT], tf.int64, tf.zeros_initializer(), trainable=False)
    ids = tf.cast(batch["id"], tf.int64)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.scatter_add(seen, ids, tf.ones_like(ids)))
    loss = tf.reduce_sum(tf.matmul(batch["x"], w[:, None]))
    tf.summary.scalar("loss", loss)
    return lt.TowerOutput(loss=loss, metrics={"first": tf.cast(batch["id"][0], tf.float32)})


def build(pipeline, towers=3, **options):
    options.setdefault("variables", lt.variables.Asynchronous())
    return lt.build_train_step(
        linear, pipeline, tf.train.GradientDescentOptimizer(RATE), lt.devices.cpus(towers), **options
    )


def towers_threads():
    return [thread for thread in threading.enumerate() if thread.name.startswith("legacy_towers tower")]


def train(step, kind, steps=None, towers=3):
    """Trains to the end, or for some steps; returns the final values of `seen`, `w` and the global step."""
    config = lt.session_config(logical_cpus=towers)
    fetches = [tf.global_variables("seen")[0], tf.global_variables("w")[0], step.global_step]
    last = Last(fetches)
    if kind == "monitored":
        with tf.train.MonitoredTrainingSession(hooks=step.hooks + [last], config=config) as session:
            while not session.should_stop() and steps != 0:
                session.run(step.train_op)
                steps = steps and steps - 1
    else:
        with tf.Session(config=config) as session, step.running(session, [last]) as run:
            while steps != 0:
                run()
                steps = steps and steps - 1
    assert waiting.happens(lambda: not towers_threads())
    return last.values


class Last(tf.train.SessionRunHook):
    def __init__(self, fetches):
        self._fetches = fetches

    def end(self, session):
        self.values = session.run(self._fetches)


@pytest.mark.parametrize("pipeline, kind", diagonals(2, PIPELINES, ["monitored", "bare"]))
def test_every_pipeline_trains_asynchronously_or_is_refused(pipeline, kind):
    if pipeline not in TRAINS:
        with pytest.raises(InputError, match="asynchronous towers each take their batches in their own runs, but"):
            build(make_pipeline(pipeline, examples(), per_tower_batch_size=4, epochs=2))
        return
    endless = pipeline == "synthetic"
    step = build(make_pipeline(pipeline, examples(), per_tower_batch_size=4, epochs=None if endless else 2))
    seen, w, reached = train(step, kind, 10 if endless else None)
    counts = [tower.updates for tower in step.asynchronous.staleness]
    assert reached == sum(counts)
    if endless:
        assert counts[0] == 10 and (seen == np.repeat(counts + [0] * 21, 4)).all()
    else:
        assert reached == 2 * COUNT // 4 and (seen == 2).all()
    # Each example's gradient is the example: in numpy, from how often each was seen.
    assert w.tolist() == (-RATE * seen.dot(np.arange(2.0 * COUNT).reshape(COUNT, 2))).tolist()


def net(batch, mode):
    hidden = tf.tanh(tf.matmul(tf.cast(batch["x"], tf.float32) / 100, tf.get_variable(
        "a", initializer=np.linspace(-1, 1, 10).astype(np.float32).reshape(2, 5), regularizer=tf.nn.l2_loss
    )))
    b = tf.get_variable("b", initializer=np.linspace(-1, 1, 5).astype(np.float32))
    average = tf.get_variable("average", [5], initializer=tf.zeros_initializer(), trainable=False)
    update = tf.assign_sub(average, (average - tf.reduce_mean(hidden, 0)) * 0.1)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
    return lt.TowerOutput(loss=tf.reduce_mean((tf.reduce_sum(hidden * b, 1) - 0.3) ** 2))


def padded_net(batch, mode):
    hidden = tf.tanh(tf.matmul(tf.cast(batch["x"], tf.float32) / 100, tf.get_variable(
        "a", initializer=np.linspace(-1, 1, 10).astype(np.float32).reshape(2, 5)
    )))
    return lt.TowerOutput(loss=(tf.reduce_sum(hidden, 1) - 0.3) ** 2)


@pytest.mark.parametrize("remainder", ["drop", "short", "pad"])
def test_one_tower_trains_as_a_synchronous_step(remainder):
    """Variables, slots, averages and losses are bit-equal, up to the last, incomplete batch."""
    results = []
    for strategy in (lt.variables.Asynchronous(), lt.variables.ParameterServer()):
        with tf.Graph().as_default():
            pipeline = lt.inputs.dataset(
                examples(31), per_tower_batch_size=4, epochs=2, remainder=remainder, shuffle=False
            )
            model = net if remainder != "pad" else padded_net
            step = lt.build_train_step(
                model, pipeline, lambda step: tf.train.AdamOptimizer(tf.train.exponential_decay(0.1, step, 5, 0.9)),
                ["/cpu:0"], strategy, moving_average_decay=0.9,
                reduction=lt.gradients.chain(lt.gradients.mean(), lt.gradients.clip_by_global_norm(0.2)),
            )
            losses = []
            values = Last(tf.global_variables())
            with tf.Session() as session, step.running(session, [values]) as run:
                while True:
                    losses.append(run(step.loss).tobytes())
            results.append((losses, {
                variable.op.name: value.tobytes() for variable, value in zip(tf.global_variables(), values.values)
            }))
    assert len(results[0][0]) == (15 if remainder == "drop" else 16)
    assert results[0] == results[1]


def test_loss_metrics_and_summaries_are_tower_0s():
    """Fetching them takes no batch from another tower."""
    step = build(make_pipeline("synthetic", examples(), per_tower_batch_size=4))
    summary = tf.summary.merge_all()
    with tf.Session(config=lt.session_config(logical_cpus=3)) as session, step.running(session) as run:
        # Tower k has the examples from 4k on.
        loss, first, written = run([step.loss, step.metrics["first"], summary])
        assert first == 0.0
        assert [value.tag for value in tf.Summary.FromString(written).value] == ["loss"]
        with step.asynchronous.paused():
            seen = tf.global_variables("seen")[0]
            before = session.run(seen)
            session.run([step.loss, step.metrics, summary])
            assert (session.run(seen) == before).all()
    assert "of tower 0" in step.plan.summaries
    assert step.plan.strategy == "Asynchronous(ParameterServer('/cpu:0'))"


@pytest.mark.parametrize(
    "options, error, why",
    [
        ({"use_resource": False}, ArgumentError, "is a ref variable .* use_resource=True"),
        ({"summary_tower": 1}, ArgumentError, "the caller runs tower 0 alone"),
        ({"update_ops": "mean"}, ArgumentError, "each tower updates its variables on its own"),
    ],
    ids=["ref variables", "summaries of another tower", "mean of update ops"],
)
def test_asynchronous_refuses_options_that_do_not_fit(options, error, why):
    with pytest.raises(error, match=why):
        build(make_pipeline("synthetic", examples(), per_tower_batch_size=4), **options)


def test_a_placeholder_of_the_model_is_refused():
    rate = tf.placeholder(tf.float64, [], name="keep")

    def model(batch, mode):
        output = linear(batch, mode)
        return output._replace(loss=output.loss * rate)

    with pytest.raises(InputError, match="tower 1 needs the placeholder 'keep', which is not fed in its runs"):
        lt.build_train_step(
            model, make_pipeline("synthetic", examples(), per_tower_batch_size=4),
            tf.train.GradientDescentOptimizer(RATE), lt.devices.cpus(2), lt.variables.Asynchronous(),
        )


def test_a_tower_that_validates_is_refused():
    pipeline = lt.inputs.dataset(examples(), per_tower_batch_size=4)
    with pytest.raises(InputError, match="tower 2 validates in the steps of the others"):
        build(lt.inputs.with_validation_tower(pipeline, pipeline))


@pytest.mark.parametrize("kind", ["monitored", "bare"])
def test_a_damaged_example_names_its_tower(kind):
    def check(number):
        if number == 50:
            raise ValueError("example 50 is damaged")
        return number

    damaged = examples().map(lambda example: dict(example, id=checked(example["id"])))

    def checked(number):
        number = tf.py_func(check, [number], tf.int64)
        number.set_shape([])
        return number

    # Shards of every third example: number 50 is of tower 2.
    step = build(lt.inputs.dataset(damaged, per_tower_batch_size=4, route="sharded", epochs=1))
    with pytest.raises(tf.errors.OpError, match="^tower 2, which trains asynchronously: (.|\n)*example 50 is damaged"):
        train(step, kind)
    assert waiting.happens(lambda: not towers_threads())


def test_towers_stop_with_a_stop_at_step_hook():
    step = build(make_pipeline("queue", examples(), per_tower_batch_size=4))
    step.hooks.append(tf.train.StopAtStepHook(last_step=20))
    _, _, reached = train(step, "monitored")
    assert reached >= 20


@pytest.mark.parametrize("kind", ["monitored", "bare"])
@pytest.mark.parametrize("last", [1, 2, 31])
def test_stop_at_limits_all_towers_together(kind, last):
    step = build(lt.inputs.dataset(examples(), per_tower_batch_size=4, epochs=None))
    step.asynchronous.stop_at(last)
    config = lt.session_config(logical_cpus=3)
    hooks = [tf.train.StopAtStepHook(last_step=last)]
    reached = Last(step.global_step)
    if kind == "monitored":
        with tf.train.MonitoredTrainingSession(hooks=step.hooks + hooks + [reached], config=config) as session:
            while not session.should_stop():
                session.run(step.train_op)
    else:
        with tf.Session(config=config) as session, step.running(session, hooks + [reached]) as run:
            while not run.should_stop():
                run()
    assert reached.values == last
    assert sum(each.updates for each in step.asynchronous.staleness) == last
    assert waiting.happens(lambda: not towers_threads())


def test_stop_at_counts_steps_before_a_restore(tmp_path):
    def train_until(last):
        with tf.Graph().as_default():
            step = build(lt.inputs.dataset(examples(), per_tower_batch_size=4, epochs=None))
            step.asynchronous.stop_at(last)
            hooks = step.hooks + [
                tf.train.StopAtStepHook(last_step=last),
                tf.train.CheckpointSaverHook(
                    str(tmp_path), save_secs=600, listeners=[step.asynchronous.pausing_listener()]
                ),
            ]
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=str(tmp_path), save_checkpoint_secs=None, hooks=hooks,
                config=lt.session_config(logical_cpus=3),
            ) as session:
                while not session.should_stop():
                    session.run(step.train_op)
            return sum(each.updates for each in step.asynchronous.staleness)

    assert train_until(10) == 10
    assert train_until(25) == 15
    reader = tf.train.load_checkpoint(tf.train.latest_checkpoint(str(tmp_path)))
    assert reader.get_tensor("global_step") == 25


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="threads are counted in /proc")
@pytest.mark.parametrize("pipeline", TRAINS)
def test_no_threads_are_left_after_many_sessions(pipeline):
    """Sessions that end with the data, before it, and by an error."""
    step = build(
        make_pipeline(pipeline, examples(), per_tower_batch_size=4, epochs=None if pipeline == "synthetic" else 1)
    )
    config = lt.session_config(logical_cpus=3)
    for cycle in range(15):
        try:
            with tf.Session(config=config) as session, step.running(session) as run:
                for _ in range([1, 3, 1000 if pipeline != "synthetic" else 5][cycle % 3]):
                    run()
                if cycle % 6 == 1:
                    raise KeyError("mine")
        except KeyError:
            assert cycle % 6 == 1
        assert waiting.happens(lambda: not towers_threads())
        if cycle == 8:
            before = len(os.listdir("/proc/self/task"))
    # TensorFlow's own pools may start a thread late; a leak leaves one in each kind of cycle.
    assert waiting.happens(lambda: len(os.listdir("/proc/self/task")) <= before + 5)


@pytest.mark.parametrize("towers", [1, 3])
def test_a_session_without_the_hooks_is_refused(towers):
    """Only tower 0 would train; one tower alone needs no other."""
    step = build(make_pipeline("dataset", examples(), per_tower_batch_size=4), towers)
    config = lt.session_config(logical_cpus=towers)
    with tf.Session(config=config) as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        for hook in step.hooks:
            if hook is not step.asynchronous:
                hook.begin()
                hook.after_create_session(session, None)
        if towers == 1:
            session.run(step.train_op)
            return
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"the other towers \(1, 2\) run in threads that the"):
            session.run(step.train_op)
        with step.running(session) as run:
            run()
        with pytest.raises(tf.errors.InvalidArgumentError, match="give it hooks=step.hooks"):
            session.run(step.train_op)
