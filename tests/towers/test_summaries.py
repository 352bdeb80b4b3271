"""Summaries of one tower, under the names that they have without towers."""
import glob

import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import TowerError
from legacy_towers.towers import TowerOutput, replicate
from legacy_towers.towers.summaries import keep_summaries

DEVICES = ["/cpu:0", "/cpu:1", "/cpu:2"]
TAGS = {"loss", "layer/activations", "picture/image", "note", "family/family/once"}


def model_fn(batch, mode):
    loss = tf.reduce_mean(batch) * tf.get_variable("w", [], initializer=tf.ones_initializer())
    tf.summary.scalar("loss", loss)
    with tf.variable_scope("layer"):
        tf.summary.histogram("activations", batch)
    tf.summary.image("picture", tf.reshape(batch, [1, 2, 2, 1]), max_outputs=1)
    tf.summary.text("note", tf.as_string(loss))
    tf.summary.scalar("once", 2 * loss, family="family")
    return TowerOutput(loss=loss)


def batches():
    return [tf.fill([4], float(index + 1)) for index in range(3)]


def tags_and_values(serialized):
    return {value.tag: value for value in tf.Summary.FromString(serialized).value}


def session_with_variables():
    session = tf.Session(config=tf.ConfigProto(device_count={"CPU": 3}))
    session.run(tf.global_variables_initializer())
    return session


@pytest.mark.parametrize("chosen, loss", [(-1, 3.0), (0, 1.0), (1, 2.0), (2, 3.0)])
def test_summaries_of_the_chosen_tower_are_kept_without_prefix(chosen, loss):
    outside = tf.summary.scalar("rate", 0.5)
    towers = replicate(model_fn, batches(), DEVICES)
    kept = keep_summaries(towers, chosen)
    assert tf.get_collection(tf.GraphKeys.SUMMARIES) == [outside] + kept
    with session_with_variables() as session:
        values = tags_and_values(session.run(tf.summary.merge_all()))
    assert set(values) == TAGS | {"rate"}
    assert values["loss"].simple_value == loss and values["family/family/once"].simple_value == 2 * loss
    assert values["layer/activations"].histo.max == loss and values["layer/activations"].histo.num == 4
    assert values["picture/image"].image.height == 2
    assert values["note"].metadata.plugin_data.plugin_name == "text"
    assert float(tf.make_ndarray(values["note"].tensor)) == loss


def test_tags_are_those_of_the_model_without_towers():
    with tf.Graph().as_default():
        model_fn(batches()[0], "train")
        with session_with_variables() as session:
            plain = set(tags_and_values(session.run(tf.summary.merge_all())))
    keep_summaries(replicate(model_fn, batches(), DEVICES), -1)
    with session_with_variables() as session:
        assert set(tags_and_values(session.run(tf.summary.merge_all()))) == plain


def test_a_tag_without_the_prefix_is_kept():
    def tutorial(batch, mode):
        loss = tf.reduce_mean(batch) * tf.get_variable("w", [])
        with tf.name_scope(None):
            tf.summary.scalar("plain", loss)
        return TowerOutput(loss=loss)

    towers = replicate(tutorial, batches(), DEVICES)
    assert keep_summaries(towers, -1) == towers[2].collected.summaries


def test_within_another_scope():
    with tf.name_scope("outer"):
        keep_summaries(replicate(model_fn, batches(), DEVICES), -1)
    with session_with_variables() as session:
        assert set(tags_and_values(session.run(tf.summary.merge_all()))) == TAGS


def test_a_merged_summary_is_renamed_too():
    def model_fn(batch, mode):
        loss = tf.reduce_mean(batch)
        parts = [tf.summary.scalar(name, loss, collections=[]) for name in ("a", "b")]
        tf.summary.merge(parts, collections=[tf.GraphKeys.SUMMARIES])
        return TowerOutput(loss=loss)

    keep_summaries(replicate(model_fn, batches(), DEVICES), -1)
    with session_with_variables() as session:
        values = tags_and_values(session.run(tf.summary.merge_all()))
    assert {tag: value.simple_value for tag, value in values.items()} == {"a": 3.0, "b": 3.0}


def test_a_computed_tag_is_refused():
    def computed(batch, mode):
        loss = tf.reduce_mean(batch) * tf.get_variable("w", [])
        tag = tf.strings.join(["a", tf.as_string(loss)])
        summary = tf.raw_ops.ScalarSummary(tags=tag, values=loss, name="odd")
        tf.add_to_collection(tf.GraphKeys.SUMMARIES, summary)
        return TowerOutput(loss=loss)

    towers = replicate(computed, batches(), DEVICES)
    with pytest.raises(TowerError, match="'tower_2/odd' of tower 2 has a tag that is computed in the graph"):
        keep_summaries(towers, -1)


def events_in(folder):
    for path in glob.glob(str(folder / "events*")):
        for event in tf.train.summary_iterator(path):
            for value in event.summary.value:
                yield event.step, value


def test_the_event_file_of_a_monitored_session(tmp_path):
    step = lt.build_train_step(
        model_fn, lt.inputs.from_tensors(batches()), tf.train.GradientDescentOptimizer(0.0), DEVICES
    )
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), hooks=step.hooks, config=lt.session_config(logical_cpus=3),
        save_summaries_steps=1, log_step_count_steps=None,
    ) as session:
        for _ in range(3):
            session.run(step.train_op)
    found = list(events_in(tmp_path))
    assert {value.tag for _, value in found} == TAGS
    losses = [(number, value.simple_value) for number, value in found if value.tag == "loss"]
    assert len(losses) == 3 and all(loss == 3.0 for _, loss in losses)


def test_summary_saver_hook_in_a_bare_session(tmp_path):
    step = lt.build_train_step(
        model_fn, lt.inputs.from_tensors(batches()), tf.train.GradientDescentOptimizer(0.0), DEVICES, summary_tower=1
    )
    step.hooks.append(
        tf.train.SummarySaverHook(save_steps=1, output_dir=str(tmp_path), summary_op=tf.summary.merge_all())
    )
    with tf.Session(config=lt.session_config(logical_cpus=3)) as session, step.running(session) as run:
        run()
        run()
    losses = [value.simple_value for _, value in events_in(tmp_path) if value.tag == "loss"]
    np.testing.assert_array_equal(losses, [2.0, 2.0])
    assert step.plan.summaries == "5 of tower 1, without its prefix"
