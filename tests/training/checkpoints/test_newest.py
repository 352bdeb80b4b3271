"""Damaged checkpoints and state files are found, and the newest valid checkpoint is used."""
import os
import random
import re
import shutil

import checkpointed
import pytest

from legacy_towers.compat import tf
from legacy_towers.errors import JobError
from legacy_towers.training.checkpoints.newest import find_newest, require_newest
from legacy_towers.training.checkpoints.verify import damage, tensor_damage

FILES = [".index", ".data-00000-of-00001", ".meta", ".manifest"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A directory with checkpoints of steps 1 to 3."""
    directory = str(tmp_path_factory.mktemp("saved"))
    checkpointed.save_several(directory, 3)
    return directory


@pytest.fixture
def run(saved, tmp_path):
    """A copy of it that a test may damage."""
    return shutil.copytree(saved, str(tmp_path / "run"))


def damaged_bytes(content, chance):
    """Returns the content without its end, or with one bit changed."""
    position = chance.randrange(len(content))
    if chance.random() < 0.3:
        return content[:position]
    return content[:position] + bytes([content[position] ^ 1 << chance.randrange(8)]) + content[position + 1 :]


def test_a_hundred_truncations_and_changed_bits_are_all_found(run):
    chance = random.Random(0)
    paths = [os.path.join(run, "model.ckpt-3" + end) for end in FILES] + [os.path.join(run, "checkpoint")]
    assert find_newest(run).problems == []
    for number in range(150):
        path = paths[number % len(paths)]
        with open(path, "rb") as file:
            content = file.read()
        changed = damaged_bytes(content, chance)
        with open(path, "wb") as file:
            file.write(changed)
        found = find_newest(run)
        is_state = path.endswith("checkpoint")
        assert found.problems and path in found.problems[0], (path, content, changed)
        assert found.step == (3 if is_state else 2) and len(found.damaged) == (not is_state)
        with open(path, "wb") as file:
            file.write(content)
    assert find_newest(run).problems == []


@pytest.mark.parametrize("end", FILES[:2])
def test_without_a_manifest_damage_is_found_unless_it_changes_nothing(run, end):
    chance = random.Random(1)
    prefix = os.path.join(run, "model.ckpt-3")
    os.remove(prefix + ".manifest")
    assert damage(prefix) == tensor_damage(prefix) == ""
    with open(prefix + end, "rb") as file:
        content = file.read()
    harmless = 0
    for _ in range(100):
        with open(prefix + end, "wb") as file:
            file.write(damaged_bytes(content, chance))
        if damage(prefix) == "":
            reader = tf.train.NewCheckpointReader(prefix)
            assert {value for name in ("w", "cut", "global_step") for value in reader.get_tensor(name).ravel()} == {3}
            harmless += 1
    # TensorFlow does not read all of the index: it has a second index, which is empty, and padding.
    assert harmless == 0 if end != ".index" else harmless < 30


@pytest.mark.parametrize("end", FILES[:3])
def test_missing_files_are_found(run, end):
    os.remove(os.path.join(run, "model.ckpt-3" + end))
    found = find_newest(run)
    assert found.step == 2 and "model.ckpt-3{} is missing".format(end) in found.problems[0]


def test_each_damaged_checkpoint_is_reported_with_its_reason(run):
    os.truncate(os.path.join(run, "model.ckpt-3.index"), 7)
    with open(os.path.join(run, "model.ckpt-2.data-00000-of-00001"), "r+b") as file:
        file.write(b"\xff")
    with pytest.warns(UserWarning) as warned:
        assert require_newest(run) == os.path.join(run, "model.ckpt-1")
    texts = [str(each.message) for each in warned]
    assert "the checkpoint {0}/model.ckpt-3 is damaged: {0}/model.ckpt-3.index has 7 bytes, ".format(run) in texts[0]
    assert re.search(r"model.ckpt-2.data-00000-of-00001 was changed after it was .*; using .*ckpt-1$", texts[1])
    assert checkpointed.step_restored(find_newest(run).checkpoint) == 1
    os.remove(os.path.join(run, "model.ckpt-1.data-00000-of-00001"))
    with pytest.raises(JobError) as refused:
        find_newest(run)
    assert [name for name in ("ckpt-1", "ckpt-2", "ckpt-3") if name not in str(refused.value)] == []
    assert str(refused.value).endswith(": restore their files, or delete the checkpoints to start from step 0")


STATES = {
    "missing": (None, "checkpoint is missing"),
    "empty": (b"", "checkpoint is empty"),
    "zeros": (b"\0" * 80, "checkpoint has a line that can't be read"),
    "text": (b"model_checkpoint_path: \"model.ckpt", "checkpoint has a line that can't be read"),
    "not there": (b'model_checkpoint_path: "model.ckpt-99"\n', "names .*/model.ckpt-99, which does not exist"),
    "older": (b'model_checkpoint_path: "model.ckpt-1"\n', "checkpoint has lost its checksum"),
    "outside": (b'model_checkpoint_path: "../../other/secret-9"\n', "names .*secret-9, which is outside its directory"),
    "absolute": (b'model_checkpoint_path: "/etc/secret-9"\n', "names /etc/secret-9, which is outside its directory"),
    "parent": (b'model_checkpoint_path: ".."\n', "names '..', which is not a checkpoint"),
    "bytes": (b'model_checkpoint_path: "\\303\\244\\"-9"\n', "names .*\u00e4\"-9, which does not exist"),
}


@pytest.mark.parametrize("content, problem", list(STATES.values()), ids=list(STATES))
def test_the_newest_step_counts_whatever_the_state_file_says(run, content, problem):
    path = os.path.join(run, "checkpoint")
    os.remove(path)
    if content is not None:
        with open(path, "wb") as file:
            file.write(content)
    found = find_newest(run)
    assert (found.checkpoint, found.step) == (os.path.join(run, "model.ckpt-3"), 3)
    assert len(found.problems) == 1 and re.search(problem, found.problems[0])
    for name in os.listdir(run):
        if name.startswith("model.ckpt"):
            os.remove(os.path.join(run, name))
    if content is None:
        assert find_newest(run).checkpoint is None
        return
    with pytest.raises(JobError, match="or delete .*checkpoint to start from step 0"):
        find_newest(run)


def test_a_path_that_leads_outside_is_not_followed(run, tmp_path):
    outside = str(tmp_path / "outside")
    checkpointed.save_several(outside, 9)
    for path in (outside, "../outside", os.path.join(run, "..", "outside")):
        with open(os.path.join(run, "checkpoint"), "w") as state:
            state.write('model_checkpoint_path: "{}/model.ckpt-9"\n'.format(path))
        assert find_newest(run).checkpoint == os.path.join(run, "model.ckpt-3")


def test_a_directory_that_was_moved_with_absolute_paths_is_read(run):
    with open(os.path.join(run, "checkpoint"), "w") as state:
        state.write('model_checkpoint_path: "/elsewhere/run/model.ckpt-3"\n')
    os.remove(os.path.join(run, "model.ckpt-3.manifest"))
    assert find_newest(run) == (os.path.join(run, "model.ckpt-3"), 3, [], [])


@pytest.mark.parametrize("state", ["kept", "lost"])
def test_checkpoints_of_plain_savers_of_any_name_are_found_by_their_step(tmp_path, state):
    with checkpointed.Model() as model:
        saver = model.saver()
        for name in ("net-late", "net-7", "net-9"):  # the step is in the checkpoint, not in its name
            model.run()
            saver.save(model.session, str(tmp_path / name))
    if state == "lost":
        (tmp_path / "checkpoint").unlink()
    assert find_newest(str(tmp_path))[:2] == (str(tmp_path / "net-9"), 3)
    os.truncate(str(tmp_path / "net-9.data-00000-of-00001"), 100)
    found = find_newest(str(tmp_path))
    assert found[:2] == (str(tmp_path / "net-7"), 2) and "net-9 is damaged: 'w' can't be read" in found.problems[0]
    assert checkpointed.step_restored(found.checkpoint) == 2


def test_a_checkpoint_of_training_is_preferred_to_others_in_its_directory(run):
    with checkpointed.Model() as model:
        model.run(50)
        model.saver().save(model.session, os.path.join(run, "pretrained"), write_state=False)
    assert find_newest(run).step == 3


def test_a_manifest_that_names_files_of_others_is_damaged(run):
    from legacy_towers.training.checkpoints.files import Content
    from legacy_towers.training.checkpoints.manifest import Manifest

    prefix = os.path.join(run, "model.ckpt-3")
    for name in ("../model.ckpt-3.index", "model.ckpt-2.index", "/etc/passwd"):
        with open(prefix + ".manifest", "wb") as file:
            file.write(Manifest(3, {name: Content(1, 1)}).as_bytes())
        assert "is damaged: it names '{}', which is not a file of model.ckpt-3".format(name) in damage(prefix)


def test_an_empty_or_missing_directory_has_no_checkpoint(tmp_path):
    assert find_newest(str(tmp_path)) == find_newest(str(tmp_path / "none")) == (None, None, [], [])
    assert tf.train.latest_checkpoint(str(tmp_path)) is None
