"""A warm start writes the checkpoint's values, read here by TensorFlow's reader, into variables of every strategy."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import ArgumentError, JobError

STRATEGIES = {
    "parameter_server": lt.variables.ParameterServer,
    "partitioned": lambda: lt.variables.Partitioned(lt.variables.Balanced(lt.devices.cpus(2)), max_part_bytes=48),
    "replicated": lt.variables.Replicated,
    "local_sgd": lambda: lt.variables.LocalSGD(2),
    "asynchronous": lt.variables.Asynchronous,
}


def variable(name, shape, dtype=tf.float32):
    return tf.get_variable(name, shape, dtype, initializer=tf.zeros_initializer())


def model_fn(batch, mode):
    hidden = tf.matmul(batch["x"], variable("fc/kernel", [4, 6])) + variable("fc/bias", [6])
    logits = tf.matmul(hidden, variable("logits/kernel", [6, 3]))
    tf.get_variable("counts", [2], tf.int32, initializer=tf.zeros_initializer(), trainable=False)
    return lt.TowerOutput(loss=tf.reduce_mean(tf.square(logits)))


def step_of(strategy="parameter_server", **options):
    examples = lt.Examples.from_arrays({"x": np.ones([8, 4], np.float32)})
    return lt.build_train_step(
        model_fn, lt.inputs.dataset(examples, per_tower_batch_size=2), tf.train.MomentumOptimizer(0.1, 0.9),
        lt.devices.cpus(2), variables=STRATEGIES[strategy](), **options
    )


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    """A checkpoint that a plain saver of another model wrote: other names, another shape, another dtype."""
    random = np.random.RandomState(3)
    values = {
        "old/fc/kernel": random.rand(4, 6).astype(np.float32),
        "old/fc/kernel/Momentum": random.rand(4, 6).astype(np.float32),
        "old/fc/bias": random.rand(6).astype(np.float32),
        "logits/kernel": random.rand(6, 5).astype(np.float32),
        "counts": random.rand(2).astype(np.float32),
        "beta1_power": np.float32(0.5),
        "global_step": np.int64(700),
    }
    folder = tmp_path_factory.mktemp("old")
    with tf.Graph().as_default(), tf.Session() as session:
        for name, value in values.items():
            tf.get_variable(name, initializer=value)
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(folder / "model.ckpt"), global_step=700)
        of_version_1 = tf.train.Saver(write_version=tf.train.SaverDef.V1).save(session, str(folder / "v1"))
    return path, of_version_1


RENAMED = [("(fc/.*)", r"old/\1")]


def values_of(session):
    def read(step_context):
        return {each.op.name: step_context.session.run(each) for each in tf.global_variables() + tf.local_variables()}

    return session.run_step_fn(read)


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_every_strategy_gets_the_values(old, strategy):
    step = step_of(strategy)
    running = lt.training.session(
        step, config=lt.session_config(logical_cpus=2), warm_start=lt.training.WarmStart(old[0], RENAMED)
    )
    reader = tf.train.load_checkpoint(old[0])
    with running as session:
        values = values_of(session)
        for name in ("fc/kernel", "fc/bias"):
            expected = reader.get_tensor("old/" + name)
            parts = [values[key] for key in sorted(values) if key.rpartition("/part_")[0] == name and key[-1].isdigit()]
            np.testing.assert_array_equal(np.concatenate(parts) if parts else values[name], expected)
            for key in values:
                if key.startswith(name + "/replica_") and key.count("/") == 2:
                    np.testing.assert_array_equal(values[key], expected)
        if strategy == "replicated":
            lt.variables.check_copies(session)
            assert any(key.startswith("fc/kernel/replica_") for key in values)
        assert int(values["global_step"]) == 0
        assert not any(values[key].any() for key in values if "Momentum" in key or key.startswith("logits/kernel"))
    rows = {row.variable: row.problem for row in running.warm_started.variables}
    assert rows == {
        "fc/kernel": "", "fc/bias": "", "logits/kernel": "its shape is [6, 3], and [6, 5] in the checkpoint",
        "counts": "its dtype is int32, and float32 in the checkpoint",
    }
    assert running.warm_started.unused == ["beta1_power", "counts", "logits/kernel", "old/fc/kernel/Momentum"]
    assert str(running.warm_started).splitlines()[0] == "warm start: 2 of 4 variables from " + old[0]


def test_slots_averages_and_the_first_format(old):
    step = step_of(moving_average_decay=0.5)
    with lt.training.session(step, config=lt.session_config(logical_cpus=2), warm_start=lt.training.WarmStart(
        old[1], {"fc/kernel": "old/fc/kernel", "fc/kernel/Momentum": "old/fc/kernel/Momentum"}, slots=True
    )) as session:
        values = values_of(session)
    reader = tf.train.load_checkpoint(old[1])
    np.testing.assert_array_equal(values["fc/kernel/Momentum"], reader.get_tensor("old/fc/kernel/Momentum"))
    np.testing.assert_array_equal(values["fc/kernel/ExponentialMovingAverage"], reader.get_tensor("old/fc/kernel"))


@pytest.mark.parametrize("options, kind, message", [
    (dict(include=["logits/.*"]), JobError, "no variable gets a value from .*its shape is"),
    (dict(exclude=[".*"]), JobError, "no variable gets a value from .*all are excluded"),
    (dict(names=RENAMED, strict=True), JobError, "strict is set: 'counts': its dtype .*'logits/kernel': its shape"),
    (dict(names={"fc/bias": "old/fc/bias", "fc/kernel": "b"}), JobError, "'fc/kernel' can't get 'b' .* not in the ch"),
    (dict(include=["conv.*"]), ArgumentError, "'conv.*' in include matches none of the model's variables"),
])
def test_errors_before_training(old, options, kind, message):
    step = step_of()
    with pytest.raises(kind, match=message):
        with lt.training.session(step, warm_start=lt.training.WarmStart(old[0], **options)):
            raise AssertionError("training began")


def test_a_checkpoint_that_is_not_there_or_damaged(old, tmp_path):
    step = step_of()
    with pytest.raises(JobError, match="there is no checkpoint '.*absent': give its name without .index"):
        lt.training.session(step, warm_start=str(tmp_path / "absent")).__enter__()
    for suffix in (".index", ".data-00000-of-00001"):
        with open(old[0] + suffix, "rb") as source:
            content = bytearray(source.read())
        content[len(content) // 3] ^= 255
        (tmp_path / ("damaged" + suffix)).write_bytes(content)
    with pytest.raises(JobError, match="damaged is damaged"):
        lt.training.session(step, warm_start=str(tmp_path / "damaged")).__enter__()


def test_a_resume_wins(old, tmp_path):
    for last_step, checkpoint in ((1, old[0]), (2, old[1])):
        with tf.Graph().as_default():
            step = step_of()
            running = lt.training.session(
                step, str(tmp_path / "run"), last_step=last_step, config=lt.session_config(logical_cpus=2),
                warm_start=lt.training.WarmStart(checkpoint, RENAMED, exclude=["fc/bias"][:last_step - 1]),
            )
            with running as session:
                bias = values_of(session)["fc/bias"]
                while not session.should_stop():
                    session.run(step.train_op)
        assert (running.warm_started is None) == (last_step == 2)
        assert bias.any()  # of the warm start, then of the run's own checkpoint
