"""The table "If a step fails" has the words of the errors that a forgotten argument causes."""
import re
import threading

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


def step_that_waits():
    go_on = threading.Event()

    def rows():
        yield np.ones([8, 4], np.float32)
        go_on.wait(60)

    batches = tf.data.Dataset.from_generator(rows, tf.float32, [8, 4]).map(lambda x: {"x": x})
    step = lt.build_train_step(
        linear, lt.inputs.from_dataset(batches, route="split"), tf.train.GradientDescentOptimizer(0.1),
        lt.devices.cpus(TOWERS),
    )
    texts = []

    def report(text):
        texts.append(text)
        go_on.set()

    stall = lt.training.StallHook(step, 0.5, report=report)
    config = lt.session_config(logical_cpus=TOWERS)
    with tf.train.MonitoredTrainingSession(hooks=[stall] + step.hooks, config=config) as session:
        while not session.should_stop():
            session.run(step.train_op)
    raise RuntimeError(texts[0])


def table():
    """Returns the cells of the first column: their first message -> all their messages."""
    section = read("docs/pages/session-jobs.md").split("## If a step fails")[1].split("\n## ")[0]
    cells = [re.findall("`([^`]+)`", line.split(" | ")[0]) for line in section.splitlines() if line.startswith("| `")]
    return {messages[0]: messages for messages in cells}


FAILURES = [
    ("dataset without hooks", "the step runs in a session without its hooks", lambda: without_hooks(lt.inputs.dataset)),
    ("feed without hooks", "the step runs in a session without its hooks", lambda: without_hooks(lt.inputs.feed)),
    ("session.run", "the step runs without its hooks", without_run),
    ("stall", "no step for", step_that_waits),
    ("finalized", "the graph is finalized", operation_in_the_loop),
    ("no config", "ask for devices that this session does not have", without_config),
    ("no values", "Could not find variable", without_initial_values),
    ("two steps", "the graph has a variable 'dense/kernel' already", second_step),
    ("key", "the batch of tower 0 has no", wrong_key),
]


@pytest.mark.parametrize("row, fails", [case[1:] for case in FAILURES], ids=[case[0] for case in FAILURES])
def test_a_row_of_the_table_has_words_of_the_message(row, fails):
    with pytest.raises(Exception) as caught:
        fails()
    printed = "{}: {}".format(type(caught.value).__name__, caught.value)
    assert any(message in printed for message in table()[row]), printed


def test_each_row_of_the_table_is_tested():
    assert set(table()) == {row for _, row, _ in FAILURES}
