"""Reductions over workers that each have the variables: 2 workers of 2 towers against 1 process of 4 towers."""
import numpy as np
import pytest
import server_steps
from worker_model import BATCH, STEPS, model

import legacy_towers as lt
from legacy_towers.cluster.workers import Workers
from legacy_towers.compat import tf

pytestmark = pytest.mark.timeout(900)

ROWS = np.random.RandomState(0).randn(BATCH * STEPS, 6).astype(np.float32)
# In the second step one tower of worker 1 has gradients that are NaN.
INFINITE = ROWS.copy()
INFINITE[2 * BATCH - 1] = np.inf
TARGETS = np.random.RandomState(1).randn(BATCH * STEPS, 3).astype(np.float32)

gradients = lt.gradients

# reduction, examples, largest difference relative to the largest number
CASES = {
    # In each worker, between them, and of the result of one process: four times 2**-11, or 2**-8.
    "float16": (lambda: gradients.compressed(), ROWS, 4 * 2.0 ** -11),
    "bfloat16": (
        lambda: gradients.compressed(gradients.bucketed(gradients.tree()), dtype=tf.bfloat16), ROWS, 4 * 2.0 ** -8
    ),
    "before the mean": (
        lambda: gradients.chain(
            gradients.dynamic_loss_scale(8.0, growth_steps=1), gradients.add_noise(0.1, seed=3),
            gradients.accumulate(2), gradients.mean(),
        ), INFINITE, 1e-5,
    ),
    "after the mean": (
        lambda: gradients.chain(
            gradients.mean(), gradients.dynamic_loss_scale(8.0, growth_steps=1), gradients.add_noise(0.1, seed=3),
            gradients.delayed(),
        ), INFINITE, 1e-5,
    ),
    "a constant scale, with check_numerics": (
        lambda: gradients.chain(gradients.loss_scale(8.0), gradients.mean(), gradients.check_numerics()), INFINITE, 1e-5
    ),
}


@pytest.fixture(scope="module")
def cluster():
    return server_steps.LocalCluster(servers=0)


def train(reduction, rows, task, target):
    """Returns the losses and the variables of a run, and its plan."""
    towers = 4 if task is None else 2
    examples = lt.Examples.from_arrays({"x": rows, "y": TARGETS})
    step = lt.build_train_step(
        model(), lt.inputs.dataset(examples, global_batch_size=BATCH, epochs=1, order="fixed"),
        tf.train.MomentumOptimizer(0.1, 0.9), lt.devices.cpus(towers), variables="replicated", reduction=reduction,
        cluster=task,
    )
    config = lt.session_config(**dict(server_steps.OPTIONS, logical_cpus=towers))
    if task is not None:
        config = lt.cluster.session_config(task, **server_steps.OPTIONS)
        step.watch_hook.seconds = 600.0  # however busy the machine is
    losses = []
    with tf.Session(target, config=config) as session, step.running(session) as run:
        while len(losses) < STEPS:
            losses.append(run(step.loss))
        variables = sorted(tf.global_variables(), key=lambda each: each.op.name)
        found = {each.op.name: value for each, value in zip(variables, session.run(variables))}
        lt.variables.check_copies(session)
    return dict(found, losses=np.array(losses)), step.plan


@pytest.mark.parametrize("case", sorted(CASES))
def test_reductions_over_workers_compute_what_they_compute_in_one_process(cluster, case):
    reduction, rows, bound = CASES[case]
    (chief, plan), (other, _) = cluster.run(lambda task, target: train(reduction(), rows, task, target))
    with tf.Graph().as_default():
        whole, _ = train(reduction(), rows, None, "")
    assert set(chief) == set(whole)
    for name in whole:
        np.testing.assert_array_equal(chief[name], other[name], err_msg=name)
        np.testing.assert_array_equal(np.isfinite(chief[name]), np.isfinite(whole[name]), err_msg=name)
        known = np.isfinite(whole[name])
        expected = np.asarray(whole[name], np.float64)[known]
        difference = np.max(np.abs(np.asarray(chief[name], np.float64)[known] - expected))
        assert difference <= bound * np.max(np.abs(expected)), (name, difference)
    if case.endswith("float16"):
        reduced_by = [each.reduced_by for each in plan.variables if each.gradient]
        assert reduced_by and all(each.endswith("all-gather over 2 workers in " + case) for each in reduced_by)


def test_a_large_tensor_is_reduced_in_several_rings(cluster):
    # A few bytes more than 8 MiB per worker: three rings, whose parts are not equally long.
    count = 4 * 1024 * 1024 + 3

    def add(task, target):
        workers = Workers(task)
        with tf.device(workers.device):
            own = tf.range(count, dtype=tf.float32) * (1.0 + workers.index)
        total = workers.sum(own, "large")
        assert len(total.op.get_attr("subdiv_offsets")) == 3
        with tf.Session(target, config=lt.cluster.session_config(task, **server_steps.OPTIONS)) as session:
            return session.run(total)

    for total in cluster.run(add):
        np.testing.assert_array_equal(total, 3 * np.arange(count, dtype=np.float32))


def test_check_numerics_after_the_mean_is_an_error_on_every_worker(cluster):
    def fails(task, target):
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            train(gradients.chain(gradients.mean(), gradients.check_numerics()), INFINITE, task, target)
        return str(raised.value)

    for message in cluster.run(fails):
        assert "the reduced gradient for " in message and " at global step 1" in message
