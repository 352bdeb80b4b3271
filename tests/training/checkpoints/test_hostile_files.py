"""Files that somebody else wrote into a checkpoint directory: no value, nesting or link leads to more than an error."""
import base64
import collections
import os
import stat
import zlib

import numpy as np
import pytest

import legacy_towers as lt
from legacy_towers.compat import tf
from legacy_towers.errors import JobError
from legacy_towers.inputs.count_steps import position_of
from legacy_towers.inputs.queues.packed_ids import packed, unpacked
from legacy_towers.training.checkpoints.best import read_best
from legacy_towers.training.checkpoints.input_position import SUFFIX, read_position, resume_input
from legacy_towers.training.checkpoints.lock import DirectoryLock
from legacy_towers.training.checkpoints.manifest import read_manifest
from legacy_towers.training.checkpoints.newest import find_newest
from legacy_towers.training.checkpoints.sealed import seal, unseal

DEEP = b"[" * 200000
INFINITE = float("inf")


@pytest.fixture
def saved(tmp_path):
    """A directory with one checkpoint, of step 0."""
    tf.train.get_or_create_global_step()
    with lt.training.CheckpointStore(str(tmp_path / "run")) as store, tf.Session() as session:
        session.run(tf.global_variables_initializer())
        store.save(session, 0)
    return tmp_path / "run"


def test_deep_nesting_is_an_error_of_the_file(saved):
    with pytest.raises(ValueError, match="nested too deeply"):
        unseal(DEEP)
    (saved / "model.ckpt-0.manifest").write_bytes(DEEP)
    with pytest.raises(JobError, match="manifest is damaged: it is nested too deeply"):
        find_newest(str(saved))
    (saved / "best_checkpoint.json").write_bytes(DEEP)
    assert read_best(str(saved), "max:accuracy") is None
    (saved / "training.lock").write_bytes(DEEP)
    DirectoryLock(str(saved)).release()


@pytest.mark.parametrize("values", [
    {"format": 1, "step": INFINITE, "files": {}}, {"format": 1, "step": 1, "files": 7}, {"format": 1},
    {"format": 1, "step": 0, "files": {"../other.index": {"bytes": 1, "crc32": "00"}}},
    {"format": 1, "step": 0, "files": {"model.ckpt-0.index": {"bytes": "x", "crc32": []}}},
    {"format": 1, "step": 0, "files": {"model.ckpt-0.index": {"bytes": 10 ** 400, "crc32": "00"}}},
])
def test_values_of_a_manifest(saved, values):
    (saved / "model.ckpt-0.manifest").write_bytes(seal(values))
    with pytest.raises(JobError, match="model.ckpt-0"):
        find_newest(str(saved))


@pytest.mark.parametrize("changes", [{"step": INFINITE}, {"step": []}, {"checkpoint": "../../model.ckpt-0"}, {"by": 3}])
def test_values_of_the_best_checkpoint(saved, changes):
    best = {"by": "max:accuracy", "value": 0.5, "step": 0, "checkpoint": "model.ckpt-0"}
    (saved / "best_checkpoint.json").write_bytes(seal(best))
    assert read_best(str(saved), "max:accuracy").checkpoint == "model.ckpt-0"
    (saved / "best_checkpoint.json").write_bytes(seal(dict(best, **changes)))
    assert read_best(str(saved), "max:accuracy") is None


@pytest.mark.parametrize("changes", [
    {"examples": "many"}, {"examples": 10 ** 400}, {"examples": -1}, {"examples": None}, {"seed": [1]}, {"epoch": True},
    {"stream": {}}, {"epochs": INFINITE},
])
def test_values_of_the_position_of_the_input(tmp_path, changes):
    examples = lt.Examples.from_arrays({"x": np.ones([8, 2], np.float32)}, seed=1)

    def model_fn(batch, mode):
        return lt.TowerOutput(loss=tf.reduce_mean(batch["x"] * tf.get_variable("w", [2])))

    lt.build_train_step(
        model_fn, lt.inputs.dataset(examples, per_tower_batch_size=2), tf.train.GradientDescentOptimizer(0.1),
        ["/cpu:0"],
    )
    graph, prefix = tf.get_default_graph(), str(tmp_path / "model.ckpt-0")
    state = position_of(graph).state()
    with open(prefix + SUFFIX, "wb") as file:
        file.write(seal(dict(state, **changes)))
    with pytest.raises(JobError, match="model.ckpt-0.input is damaged: {} is".format(list(changes)[0])):
        resume_input(graph, prefix)


IDS = packed(collections.Counter({3: 1, 5: 2}))


@pytest.mark.parametrize("text, problem", [
    (7, "ids is 7"), ("%%%", "ids can't be read"), ("AAAA", "ids can't be read"), (IDS[:16], "ids "),
    (base64.b64encode(zlib.compress(b"abc")).decode("ascii"), "ids is incomplete"),
    (base64.b64encode(zlib.compress(bytes(10 ** 7))).decode("ascii"), "ids has more than 3 numbers"),
])
def test_packed_ids(tmp_path, text, problem):
    assert unpacked(IDS, 3) == collections.Counter({3: 1, 5: 2})
    state = {"examples": 3, "seed": 1, "epoch": 0, "epochs": None, "stream": "x", "epochs_done": 0, "ids": text}
    prefix = str(tmp_path / "model.ckpt-0")
    with open(prefix + SUFFIX, "wb") as file:
        file.write(seal(state))
    with pytest.raises(JobError, match="model.ckpt-0.input is damaged: " + problem):
        read_position(prefix)


def test_links_to_other_directories(saved, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    # a folder for unfinished work that is a link: it is removed, what it leads to stays
    (saved / ".unfinished-checkpoints").symlink_to(outside, target_is_directory=True)
    with lt.training.CheckpointStore(str(saved)):
        pass
    assert (outside / "kept").read_text() == "kept" and not os.path.lexists(str(saved / ".unfinished-checkpoints"))
    # a file of a checkpoint that is a link to the same bytes elsewhere
    data = next(saved.glob("model.ckpt-0.data*"))
    data.rename(outside / data.name)
    data.symlink_to(outside / data.name)
    with pytest.raises(JobError, match="{} is a symbolic link to another directory".format(data.name)):
        find_newest(str(saved))
    assert read_manifest(str(saved / "model.ckpt-0")).step == 0


def test_modes_follow_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        tf.train.get_or_create_global_step()
        options = lt.training.CheckpointOptions(keep_best="min:loss")
        with lt.training.CheckpointStore(str(tmp_path / "run"), options) as store, tf.Session() as session:
            session.run(tf.global_variables_initializer())
            store.save(session, 0)
            store.evaluated(0, {"loss": 1.0})
            store.write_text("graph.pbtxt", "graph")
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "run").iterdir()}
    finally:
        os.umask(before)
    assert {"checkpoint", "model.ckpt-0.manifest", "best_checkpoint.json", "training.lock"} <= set(modes)
    assert {name: oct(mode) for name, mode in modes.items() if mode != 0o640} == {}
    assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o750
