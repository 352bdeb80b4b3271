"""What the checks of checkpoints find, and what they leave alone."""
import os

import numpy as np
import pytest

from legacy_towers.compat import tf
from legacy_towers.doctor.checkpoint import examine_checkpoint
from legacy_towers.errors import UserError


def save(folder, values, step=100, meta=False, name="model.ckpt"):
    """Saves variables of these values, and returns the prefix of the checkpoint."""
    with tf.Graph().as_default(), tf.Session() as session:
        made = {each: tf.Variable(value, name=each) for each, value in values.items()}
        session.run(tf.global_variables_initializer())
        saver = tf.train.Saver(made)
        return saver.save(session, os.path.join(str(folder), name), step, write_meta_graph=meta)


def codes(path):
    return [each.check.code for each in examine_checkpoint(str(path)).findings]


W, B = np.ones([2, 3], np.float32), np.ones([3], np.float32)
ZERO = np.zeros([3], np.float32)
NAN = np.array([1, np.nan, np.inf], np.float32)
STEP = {"global_step": np.int64(100)}
MODEL = dict(STEP, **{"w": W, "b": B})
MEAN, VARIANCE = "bn/moving_mean", "bn/moving_variance"

CASES = {
    "a model": (MODEL, []),
    "whole numbers and text": (dict(MODEL, n=np.int32(3), t=np.array([b"a"])), []),
    "NaN": (dict(MODEL, b=NAN), ["LD602"]),
    "each variable twice": ({"w": W, "w_1": 2 * W, "b": B, "b_1": B}, ["LD603"]),
    "each variable in three scopes": ({"t_{}/{}".format(i, k): v for i in range(3) for k, v in MODEL.items() if v.ndim},
                                      ["LD603"]),
    "two layers of one size": ({"w": W, "w_1": W, "b": B, "b_1": B, "softmax": ZERO}, []),
    "Adam's slots": (dict(MODEL, **{"w/Adam": W, "w/Adam_1": W, "b/Adam": B, "b/Adam_1": B}), []),
    "averages at their start": (dict(MODEL, **{MEAN: ZERO, VARIANCE: B}), ["LD604"]),
    "averages before the first step": (dict(global_step=np.int64(0), **{MEAN: ZERO, VARIANCE: B}), []),
    "one average that was updated": (dict(MODEL, **{MEAN: ZERO, VARIANCE: 2 * B}), []),
    "a variable without gradient": (dict(MODEL, **{"w/Momentum": W, "b/Momentum": ZERO}), ["LD605"]),
    "slots of no step": (dict(MODEL, **{"w/Momentum": 0 * W, "b/Momentum": ZERO}), []),
    "two global steps": (dict(MODEL, global_step_1=np.int64(7)), ["LD606"]),
}


@pytest.mark.parametrize("values, expected", CASES.values(), ids=CASES.keys())
def test_what_values_show(values, expected, tmp_path):
    assert codes(save(tmp_path, values)) == expected


def test_the_message_of_values_that_are_not_finite(tmp_path):
    (found,) = examine_checkpoint(save(tmp_path, dict(MODEL, b=NAN))).findings
    assert found.evidence.message == "1 of 3 values are NaN or infinite: 'b' (1 NaN, 1 infinite)"
    assert found.evidence.line.endswith("model.ckpt-100")


def test_a_missing_data_file_is_named(tmp_path):
    prefix = save(tmp_path, MODEL)
    os.rename(prefix + ".data-00000-of-00001", prefix + ".data-00000-of-00002")
    (found,) = examine_checkpoint(prefix).findings
    assert found.check.code == "LD601"
    assert "1 of its 2 data files is missing: model.ckpt-100.data-00001-of-00002" in found.evidence.message
    os.remove(prefix + ".data-00000-of-00002")
    (found,) = examine_checkpoint(prefix).findings
    assert "it has no data file model.ckpt-100.data-00000-of-00001" in found.evidence.message


def test_a_missing_index_and_damaged_bytes_are_found(tmp_path):
    prefix = save(tmp_path, MODEL)
    with open(prefix + ".data-00000-of-00001", "r+b") as file:
        file.seek(-4, os.SEEK_END)
        file.write(b"\xff\xff\xff\x00")
    (found,) = examine_checkpoint(prefix).findings
    assert found.check.code == "LD601" and "can't be read: " in found.evidence.message
    os.remove(prefix + ".index")
    (found,) = examine_checkpoint(prefix + ".data-00000-of-00001").findings
    assert "its index model.ckpt-100.index is missing" in found.evidence.message


def test_the_newest_checkpoint_of_a_folder_is_examined_by_its_files_too(tmp_path):
    save(tmp_path, dict(MODEL, w=W * np.nan), step=99)
    newest = save(tmp_path, MODEL)
    subject = examine_checkpoint(str(tmp_path)).subject
    assert subject.startswith("the checkpoint {} (global step 100; 3 values; no MetaGraph beside it: ".format(newest))
    os.remove(str(tmp_path / "checkpoint"))
    assert codes(tmp_path) == [] and codes(newest + ".index") == []


def test_the_graph_of_its_meta_graph_is_examined_too(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(2, [tf.float32], [[]])
        tf.Variable(1.0, name="w").assign(queue.dequeue())
        session.run(tf.global_variables_initializer())
        prefix = tf.train.Saver().save(session, str(tmp_path / "model.ckpt"))
    examined = examine_checkpoint(prefix)
    assert [each.check.code for each in examined.findings] == ["LD305"]
    assert "global step unknown; 1 value; with the graph of its MetaGraph, which was not run" in examined.subject


def test_a_meta_graph_that_cannot_be_imported_is_reported_and_the_values_examined(tmp_path):
    prefix = save(tmp_path, dict(MODEL, b=NAN), meta=True)
    with open(prefix + ".meta", "wb") as file:
        file.write(b"no MetaGraph")
    examined = examine_checkpoint(prefix)
    assert [each.check.code for each in examined.findings] == ["LD602"]
    assert "without its MetaGraph: {}.meta: can't be read as a MetaGraph".format(prefix) in examined.subject


@pytest.mark.parametrize("path, message", [
    ("", "there is no checkpoint in the folder"), ("no.ckpt-1", "there is no checkpoint '"),
], ids=["an empty folder", "no files"])
def test_what_is_not_there_is_an_error(path, message, tmp_path):
    with pytest.raises(UserError, match=message):
        examine_checkpoint(str(tmp_path / path))
