"""Steps of build_train_step with all-reduces and buckets, for shared variables and for towers' copies."""
import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import DeviceError
from legacy_towers.gradients import bucketed, collective, compressed, mean, tree

TOWERS, BATCH, STEPS = 4, 8, 5


def model_fn(batch, mode):
    draw = np.random.RandomState(2)
    w = tf.get_variable("w", [3, 2], tf.float64, tf.constant_initializer(draw.normal(size=[3, 2])))
    table = tf.get_variable("table", [6, 2], tf.float64, tf.constant_initializer(draw.normal(size=[6, 2])))
    b = tf.get_variable("b", [], tf.float64, tf.zeros_initializer())
    predicted = tf.matmul(batch["x"], w) + tf.gather(table, batch["id"]) + b
    return lt.TowerOutput(loss=tf.reduce_mean(tf.square(predicted)))


def built(towers, reduction=None, variables=None):
    fed = {"x": tf.placeholder(tf.float64, [BATCH, 3]), "id": tf.placeholder(tf.int64, [BATCH])}
    parts = {name: tf.split(whole, towers) for name, whole in fed.items()}
    step = lt.build_train_step(
        model_fn,
        lt.inputs.from_tensors([{name: parts[name][tower] for name in parts} for tower in range(towers)]),
        tf.train.MomentumOptimizer(0.125, 0.5),
        lt.devices.cpus(towers),
        reduction=mean() if reduction is None else reduction,
        variables=variables or lt.variables.ParameterServer("/cpu:0"),
    )
    return step, fed


def feeds(fed):
    draw = np.random.RandomState(5)
    return [{fed["x"]: draw.normal(size=[BATCH, 3]), fed["id"]: draw.randint(6, size=BATCH)} for _ in range(STEPS)]


def trained(towers, *arguments):
    """Returns all global variables after some steps."""
    with tf.Graph().as_default():
        step, fed = built(towers, *arguments)
        with tf.Session(config=lt.session_config(logical_cpus=TOWERS)) as session, step.running(session) as run:
            for feed in feeds(fed):
                run(feed_dict=feed)
            return {variable.op.name: session.run(variable) for variable in tf.global_variables()}


VARIABLES = {
    "one device": lambda: lt.variables.ParameterServer("/cpu:0"),
    "balanced": lambda: lt.variables.Balanced(lt.devices.cpus(TOWERS)),
    "copies": lt.variables.Replicated,
}
REDUCTIONS = [collective(), bucketed(collective()), bucketed(tree(), bucket_bytes=16), bucketed()]


@pytest.mark.parametrize("variables", sorted(VARIABLES))
@pytest.mark.parametrize("reduction", REDUCTIONS, ids=repr)
def test_four_towers_match_one_tower(reduction, variables):
    found, expected = trained(TOWERS, reduction, VARIABLES[variables]()), trained(1)
    assert set(expected) <= set(found)
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-10, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("variables", sorted(VARIABLES))
def test_compressed_reductions_nearly_match_one_tower(variables):
    found, expected = trained(TOWERS, compressed(bucketed()), VARIABLES[variables]()), trained(1)
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=0, atol=STEPS * 2.0**-10, err_msg=name)
    assert not np.allclose(found["w"], expected["w"], rtol=1e-9, atol=0)


def test_the_plan_lists_how_each_gradient_is_reduced():
    step, _ = built(TOWERS, bucketed(collective()))
    rows = {row.name: row for row in step.plan.variables}
    assert "collective, bucketed (2 gradients, 56 bytes)" in str(rows["w"]) and "concat" in str(rows["table"])
    assert rows["w"].bucket == rows["b"].bucket == 0 and rows["table"].bucket is None


def test_the_step_rejects_a_session_in_which_it_would_hang():
    step, _ = built(TOWERS, bucketed(collective()))
    with tf.Session(config=lt.session_config(logical_cpus=2, soft_placement=True)) as session:
        with pytest.raises(DeviceError, match=r"collective\(\) reduces over .* and this session has no '/cpu:2'"):
            with step.running(session):
                raise AssertionError("a step could be run")
