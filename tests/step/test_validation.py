"""One tower validates while the others train; they compute the same as without it."""
import nets
import numpy as np
import pytest
from diagonals import diagonals

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import InputError, TowerError
from legacy_towers.inputs import Input, InputPlan, TowerBatches


class Dealt(Input):
    """An input with 4 examples per tower; the towers `validating` get other examples, to validate on."""

    def __init__(self, kind, validating=(), counts=None, shared=False):
        self.kind, self.validating, self.counts, self.shared = kind, validating, counts, shared

    def build(self, devices):
        train, test = iter(range(9)), iter(range(9))
        arrays, held_out = nets.examples(self.kind, 36), nets.examples(self.kind, 36, seed=7)
        per_tower, modes = [], []
        for tower in range(len(devices)):
            validates = tower in self.validating
            start = 4 * next(test if validates else train)
            source = held_out if validates else arrays
            per_tower.append({name: tf.constant(array[start : start + 4]) for name, array in source.items()})
            modes.append(lt.EVAL if validates else lt.TRAIN)
        counts = None if self.counts is None else [tf.constant(count) for count in self.counts]
        plan = InputPlan("dealt", None, "fixed", 4, None, None, None, "the test", {})
        return TowerBatches(per_tower, [], plan, counts=counts, modes=modes if self.validating else None)


def model(kind, weights=nets.get_variable_decay):
    def model_fn(batch, mode):
        output = nets.model(kind, weights=weights)(batch, mode)
        # Update ops and summaries of a validating tower would be here.
        steps = tf.get_variable("batches_seen", [], tf.float64, tf.zeros_initializer(), trainable=False)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(steps, 1.0))
        tf.summary.scalar("loss", output.loss)
        # A regularization loss of a tower's own examples; that of a validating tower does not count.
        tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.reduce_mean(tf.cast(batch["y"], tf.float64)))
        return output._replace(metrics={"label": batch["y"]})

    return model_fn


def trained(kind, towers, source, steps=3, weights=nets.get_variable_decay, **arguments):
    """Returns the losses, the contents of a checkpoint after some steps, its keys, and the step."""
    with tf.Graph().as_default():
        optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
        arguments.setdefault("moving_average_decay", 0.9)
        step = lt.build_train_step(model(kind, weights), source, optimizer, lt.devices.cpus(towers), **arguments)
        with tf.Session(config=nets.config(towers)) as session, step.running(session) as run:
            losses = [run([step.loss, step.metrics])[0] for _ in range(steps)]
            return losses, session.run({variable.op.name: variable for variable in tf.global_variables()}), step


@pytest.mark.parametrize(
    "kind, validating, policy", diagonals(3, ["dense", "embedding"], [0, 1, 3], ["first", "mean", "all"])
)
def test_training_is_the_same_without_the_validating_tower(kind, validating, policy):
    losses, variables, _ = trained(kind, 4, Dealt(kind, [validating]), update_ops=policy)
    expected, expected_variables, _ = trained(kind, 3, Dealt(kind), update_ops=policy)
    np.testing.assert_array_equal(losses, expected)
    assert sorted(variables) == sorted(expected_variables), "the same names in a checkpoint"
    for name in variables:
        np.testing.assert_allclose(variables[name], expected_variables[name], rtol=1e-13, atol=1e-15, err_msg=name)


def test_weights_are_relative_to_the_towers_that_train():
    losses, _, step = trained("dense", 3, Dealt("dense", [1], counts=(4, 2, 4)), steps=1)
    expected, _, _ = trained("dense", 2, Dealt("dense"), steps=1)
    np.testing.assert_allclose(losses, expected, rtol=1e-13)
    assert step.plan.validating == [1]


@pytest.mark.parametrize("collect", [False, True], ids=["returned", "collected"])
def test_loss_and_metrics_of_validation(collect):
    def model_fn(batch, mode):
        return nets.model("dense", collect=collect)(batch, mode)._replace(metrics={mode: batch["y"]})

    step = lt.build_train_step(
        model_fn, Dealt("dense", [0, 2]), tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(4)
    )
    assert sorted(step.metrics) == ["train"] and sorted(step.validation_metrics) == ["eval"]
    arrays = nets.examples("dense", 36, seed=7)
    hidden = np.tanh(arrays["x"][:8].dot(value("w1", [12, 16])) + value("b1", [16]))
    logits = hidden.dot(value("w2", [16, 5])) + value("b2", [5])
    entropy = np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(8), arrays["y"][:8]]
    with tf.Session(config=nets.config(4)) as session, step.running(session) as run:
        loss, metrics = run([step.validation_loss, step.validation_metrics])
    assert loss == pytest.approx(entropy.mean(), rel=1e-12)
    assert metrics["eval"] == pytest.approx(arrays["y"][:8].mean(), rel=1e-6)


def value(name, shape):
    return np.random.RandomState(sum(map(ord, name)) % 1000).normal(size=shape, scale=0.3)


def test_without_a_validating_tower_there_are_no_validation_values():
    _, _, step = trained("dense", 2, Dealt("dense"), steps=1)
    assert step.validation_loss is None and step.validation_metrics == {} and step.plan.validating == []
    assert "validation" not in str(step.plan)


def test_the_plan_says_which_towers_validate():
    _, _, step = trained("dense", 4, Dealt("dense", [0, 3]), steps=1)
    assert "validation: towers 0 and 3, without gradients; the mean divides by the towers that train" in str(step.plan)
    assert step.plan.as_dict()["validating"] == [0, 3]
    assert "of tower 1" in step.plan.update_ops


@pytest.mark.parametrize("asked, kept", [(-1, 2), (-2, 1), (3, 3), (0, 0)])
def test_summaries_are_those_of_a_tower_that_trains_unless_chosen(asked, kept):
    _, _, step = trained("dense", 4, Dealt("dense", [0, 3]), steps=1, summary_tower=asked)
    assert step.plan.summaries == "1 of tower {}, without its prefix".format(kept)


def variables_in_training_only(batch, mode):
    logits = tf.matmul(batch["x"], nets.variable("w", [12, 5], np.float64))
    if mode == lt.TRAIN:
        logits = logits + nets.variable("noise", [5], np.float64)
    return lt.TowerOutput(loss=tf.reduce_mean(logits))


def test_a_model_that_creates_variables_only_in_training():
    arguments = [tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(2)]
    with pytest.raises(TowerError, match="tower 1 creates .*'noise'.*Tower 0 was built for mode 'eval'.*later tower"):
        lt.build_train_step(variables_in_training_only, Dealt("dense", [0]), *arguments)
    with tf.Graph().as_default():
        lt.build_train_step(variables_in_training_only, Dealt("dense", [1]), *arguments)


def test_at_least_one_tower_must_train():
    with pytest.raises(InputError, match="'eval', 'eval': at least one must train"):
        lt.build_train_step(
            nets.model("dense"), Dealt("dense", [0, 1]), tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(2)
        )


class Shared(Input):
    """One placeholder for all towers."""

    def __init__(self, validating=(), intended=False):
        self.validating, self.intended = validating, intended

    def build(self, devices):
        x = tf.placeholder(tf.float64, [None, 12])
        batches = [{"x": tf.identity(x), "y": tf.zeros([4], tf.int64)} for _ in devices]
        modes = [lt.EVAL if tower in self.validating else lt.TRAIN for tower in range(len(devices))]
        plan = InputPlan("shared", None, "fixed", 4, None, None, None, "the test", {})
        return TowerBatches(batches, [], plan, modes=modes, shared_by_towers=self.intended)


@pytest.mark.parametrize("validating, towers", [([], "0, 1 and 2"), ([0], "1 and 2")], ids=["all train", "one not"])
def test_towers_that_train_on_the_same_batch_are_refused(validating, towers):
    with pytest.raises(InputError, match="towers {} get the same examples.*shared_by_towers=True".format(towers)):
        lt.build_train_step(
            nets.model("dense"), Shared(validating), tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(3)
        )


@pytest.mark.parametrize(
    "source, towers", [(Shared(intended=True), 3), (Shared([0, 2]), 3)], ids=["intended", "a training batch"]
)
def test_batches_that_towers_may_share(source, towers):
    lt.build_train_step(
        nets.model("dense"), source, tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(towers)
    )


def test_from_tensors_shares_batches_only_with_shared_by_towers():
    x = {"x": tf.placeholder(tf.float64, [4, 12]), "y": tf.zeros([4], tf.int64)}
    arguments = [tf.train.GradientDescentOptimizer(0.1), lt.devices.cpus(2)]
    with pytest.raises(InputError, match="towers 0 and 1 get the same examples: they read 'Placeholder'"):
        lt.build_train_step(nets.model("dense"), lt.inputs.from_tensors([x, x]), *arguments)
    with tf.Graph().as_default():
        x = {"x": tf.placeholder(tf.float64, [4, 12]), "y": tf.zeros([4], tf.int64)}
        lt.build_train_step(nets.model("dense"), lt.inputs.from_tensors([x, x], shared_by_towers=True), *arguments)
