"""Sparse gradients over workers that each have the variables: 2 workers against 1 process with all their towers."""
import numpy as np
import pytest
import server_steps

import legacy_towers as lt
from legacy_towers.compat import tf

pytestmark = pytest.mark.timeout(900)

STEPS, BATCH, LENGTH = 4, 8, 6
COUNT = BATCH * STEPS
# Each word is in several examples of a step, and a tower has from none to all of its words in a step.
WORDS = np.random.RandomState(0).randint(0, 90, [COUNT, LENGTH]) // 3 * 3
WORDS[:BATCH // 2] = 0
TABLES = {"large": 90, "small": 12}


@pytest.fixture(scope="module")
def cluster():
    return server_steps.LocalCluster(servers=0)


def model(dtype=tf.float32, index_dtype=tf.int64):
    """Returns a model function of two tables: all workers' rows of a step are fewer than `large` has, or more."""

    def model_fn(batch, mode):
        kept = tf.reshape(batch["word"], [-1])
        kept = tf.cast(tf.boolean_mask(kept, kept >= 30), index_dtype)
        errors = []
        for name, size in TABLES.items():
            start = tf.constant_initializer(np.linspace(-1.0, 1.0, size * 3).reshape([size, 3]))
            rows = tf.gather(tf.get_variable(name, [size, 3], dtype, start), kept % size)
            errors.append(tf.reduce_sum(tf.square(rows - tf.constant([0.5, -0.5, 0.25], dtype))))
        bias = tf.get_variable("bias", [], dtype, tf.zeros_initializer())
        loss = tf.add_n(errors) / LENGTH + tf.square(bias - 1.0)
        per_example = tf.fill([tf.shape(batch["word"])[0]], loss)
        return lt.TowerOutput(loss=per_example)

    return model_fn


OPTIMIZERS = {
    "momentum": lambda: tf.train.MomentumOptimizer(0.05, 0.9),
    "adam": lambda: tf.train.AdamOptimizer(0.05),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.05),
    "sgd": lambda: tf.train.GradientDescentOptimizer(0.05),
}

# optimizer, towers of a worker, model, examples, options of build_train_step
CASES = {
    "momentum, 1 tower": ("momentum", 1, {}, {}, {}),
    "adam, 2 towers, clipped": (
        "adam", 2, dict(index_dtype=tf.int32), {}, dict(reduction="mean+clip_by_global_norm:0.5")
    ),
    "float64, adagrad, sum, moving averages": (
        "adagrad", 1, dict(dtype=tf.float64), {}, dict(reduction="sum", moving_average_decay=0.9)
    ),
    "float16": ("sgd", 1, dict(dtype=tf.float16), {}, {}),
    # The last step has 1 of 8 examples: one worker has none.
    "short last batch": ("momentum", 2, {}, dict(remainder="short", count=COUNT - 7), dict(skip_nonfinite=True)),
}


def train(case, task, target):
    """Returns the losses and variables of a run, and how many words each tower had in each step."""
    optimizer, towers, model_options, input_options, options = CASES[case]
    count = input_options.get("count", COUNT)
    inputs = lt.inputs.dataset(
        lt.Examples.from_arrays({"word": WORDS[:count]}), global_batch_size=BATCH, epochs=1, order="fixed",
        remainder=input_options.get("remainder", "drop"),
    )
    towers *= 1 if task is not None else 2
    step = lt.build_train_step(
        model(**model_options), inputs, OPTIMIZERS[optimizer](), lt.devices.cpus(towers), variables="replicated",
        cluster=task, **options
    )
    config = lt.session_config(**dict(server_steps.OPTIONS, logical_cpus=towers))
    if task is not None:
        config = lt.cluster.session_config(task, **server_steps.OPTIONS)
        step.watch_hook.seconds = 600.0  # however busy the machine is
    found = {"losses": [], "words": []}
    with tf.Session(target, config=config) as session, step.running(session) as run:
        while not run.should_stop() and len(found["losses"]) < STEPS:
            loss, batches = run([step.loss, step.input.per_tower])
            found["losses"].append(loss)
            found["words"].append([np.sum(batch["word"] >= 30) for batch in batches])
        variables = sorted(tf.global_variables(), key=lambda each: each.op.name)
        for variable, value in zip(variables, session.run(variables)):
            found["variable " + variable.op.name] = value
        lt.variables.check_copies(session)
    return found, step.plan


@pytest.mark.parametrize("case", sorted(CASES))
def test_sparse_gradients_of_workers_are_those_of_one_process_with_all_their_towers(cluster, case):
    (chief, plan), (other, _) = cluster.run(lambda task, target: train(case, task, target))
    with tf.Graph().as_default():
        whole, _ = train(case, None, "")
    assert set(chief) == set(whole)
    # One process rounds each of the repeated rows that it applies to a variable of float16.
    bound = {"float16": 1e-2, "float64, adagrad, sum, moving averages": 1e-12}.get(case, 1e-5)
    for name in set(whole) - {"words"}:
        np.testing.assert_array_equal(chief[name], other[name], err_msg=name)
        expected = np.asarray(whole[name], np.float64)
        difference = np.max(np.abs(np.asarray(chief[name], np.float64) - expected))
        assert difference <= bound * np.max(np.abs(expected)), (name, difference)
    # The workers have uneven numbers of rows, and one has none in the first step.
    words = [list(np.sum(run["words"], axis=1)) for run in (chief, other)]
    assert words[0][0] == 0 < words[1][0] and words[0][1] != words[1][1]
    [row] = [each for each in plan.variables if each.name == "large"]
    assert row.gradient == "sparse" and row.reduced_by.endswith(", rows gathered from 2 workers")
