"""The table "If a step fails" has the words of the errors that a forgotten argument causes."""
import re

import numpy as np
import pytest
from doc_blocks import read

import legacy_towers as lt
from legacy_towers.compat import tf

TOWERS = 2


def linear(batch, mode):
    weights = tf.get_variable("dense/kernel", [4])
    return lt.TowerOutput(loss=tf.reduce_mean(tf.square(tf.reduce_sum(batch["x"] * weights, axis=1))))


def built(pipeline, model_fn=linear):
    examples = lt.Examples.from_arrays({"x": np.ones([32, 4], np.float32)})
    return lt.build_train_step(
        model_fn, pipeline(examples, per_tower_batch_size=8), tf.train.GradientDescentOptimizer(0.1),
        lt.devices.cpus(TOWERS),
    )


def without_hooks(pipeline):
    step = built(pipeline)
    with tf.train.MonitoredTrainingSession(config=lt.session_config(logical_cpus=TOWERS)) as session:
        session.run(step.train_op)


def without_run():
    step = built(lt.inputs.feed)
    with tf.Session(config=lt.session_config(logical_cpus=TOWERS)) as session, step.running(session):
        session.run(step.train_op)


def without_config():
    step = built(lt.inputs.dataset)
    with tf.train.MonitoredTrainingSession(hooks=step.hooks) as session:
        session.run(step.train_op)


def without_initial_values():
    step = built(lt.inputs.synthetic)
    with tf.Session(config=lt.session_config(logical_cpus=TOWERS)) as session:
        session.run(step.train_op)


def operation_in_the_loop():
    step = built(lt.inputs.synthetic)
    with tf.train.MonitoredTrainingSession(hooks=step.hooks, config=lt.session_config(logical_cpus=TOWERS)) as session:
        session.run(step.loss * 2.0)


def second_step():
    built(lt.inputs.dataset)
    built(lt.inputs.dataset)


def wrong_key():
    built(lt.inputs.dataset, lambda batch, mode: lt.TowerOutput(loss=tf.reduce_mean(batch["image"])))


def rows():
    """Returns the cells of the table's first column, each as the list of its messages."""
    section = read("docs/pages/session-jobs.md").split("## If a step fails")[1].split("\n## ")[0]
    return [re.findall("`([^`]+)`", line.split(" | ")[0]) for line in section.splitlines() if line.startswith("| `")]


@pytest.mark.parametrize(
    "row, fails",
    [
        (0, lambda: without_hooks(lt.inputs.dataset)),
        (0, lambda: without_hooks(lt.inputs.feed)),
        (1, without_run),
        (2, operation_in_the_loop),
        (3, without_config),
        (4, without_initial_values),
        (5, second_step),
        (6, wrong_key),
    ],
    ids=[
        "dataset without hooks", "feed without hooks", "session.run", "finalized", "no config", "no values",
        "two steps", "key",
    ],
)
def test_a_row_of_the_table_has_words_of_the_message(row, fails):
    with pytest.raises(Exception) as caught:
        fails()
    printed = "{}: {}".format(type(caught.value).__name__, caught.value)
    assert any(message in printed for message in rows()[row]), printed
