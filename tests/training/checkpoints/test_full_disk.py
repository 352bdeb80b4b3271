"""A checkpoint that can't be written leaves the earlier ones, and nothing of itself."""
import contextlib
import os
import resource
import subprocess

import checkpointed
import pytest

from legacy_towers.compat import tf
from legacy_towers.errors import SaveError
from legacy_towers.training.checkpoints import files
from legacy_towers.training.checkpoints.newest import find_newest
from legacy_towers.training.hooks.checkpoint import CheckpointHook

SIZE = 40000  # a checkpoint of about 190 KB


@contextlib.contextmanager
def limited_files(size):
    """Returns a context manager in which no file can have more bytes: as on a full disk, a write fails midway."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def small_disk(tmp_path):
    """A directory on a disk of 400 KB."""
    directory = str(tmp_path / "disk")
    os.mkdir(directory)
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", directory]
    try:
        mounted = subprocess.run(mount, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("this user may not mount a file system")
    yield directory
    subprocess.run(["umount", directory], check=True)


@pytest.mark.parametrize("size", [64, 50000, 159000])  # in the index or the data, and near the end of the data
def test_a_write_that_fails_midway_leaves_the_last_checkpoint(tmp_path, size):
    with checkpointed.Model(SIZE, str(tmp_path)) as model:
        first = model.save()
        before = sorted(os.listdir(str(tmp_path)))
        with limited_files(size), pytest.raises(SaveError) as error:
            model.save()
        assert "the checkpoint of step 2 can't be written to {}: File too large (it needs ".format(tmp_path) in str(
            error.value
        )
        assert sorted(os.listdir(str(tmp_path))) == before
        assert find_newest(str(tmp_path))[:2] == (first, 1)
        assert model.save() == os.path.join(str(tmp_path), "model.ckpt-3")
    assert checkpointed.litter(str(tmp_path)) == []


def test_a_full_disk_is_reported_with_the_bytes_needed(small_disk, monkeypatch):
    with checkpointed.Model(SIZE, small_disk) as model:
        model.save()
        size = sum(os.path.getsize(os.path.join(small_disk, name)) for name in os.listdir(small_disk) if "ckpt" in name)
        before = sorted(os.listdir(small_disk))
        with open(os.path.join(small_disk, "other"), "wb") as other:
            other.write(b"0" * files.free_bytes(small_disk))
        assert files.free_bytes(small_disk) == 0
        for foreseen in (True, False):
            if not foreseen:  # a quota, for example, is not known before
                monkeypatch.setattr(files, "free_bytes", lambda path: None)
            with pytest.raises(SaveError, match="No space left on device") as error:
                model.save()
            # Without its manifest.
            needed = int(str(error.value).split("it needs ")[1].split(" ")[0].replace(",", ""))
            assert size - 1000 < needed < size
            assert sorted(set(os.listdir(small_disk)) - {"other"}) == before
            assert checkpointed.step_restored(find_newest(small_disk).checkpoint) == 1
        os.remove(os.path.join(small_disk, "other"))
        model.save()


def test_nothing_is_written_to_a_disk_that_is_known_to_be_too_full(tmp_path, monkeypatch):
    with checkpointed.Model(SIZE, str(tmp_path)) as model:
        model.save()
        with monkeypatch.context() as patched:
            patched.setattr(files, "free_bytes", lambda path: 1000)
            patched.setattr(tf.train.Saver, "save", lambda *arguments, **options: pytest.fail("it was written"))
            with pytest.raises(SaveError, match=r"No space left on device \(it needs 1..,... bytes, 1,000 bytes are "):
                model.save()
        assert find_newest(str(tmp_path)).step == 1


@pytest.mark.parametrize("operation", ["sync", "move", "content_of", "sync_directory"])
@pytest.mark.parametrize("call", [1, 2, 3])
def test_an_error_while_a_checkpoint_is_finished_leaves_the_last_one(tmp_path, monkeypatch, operation, call):
    with checkpointed.Model(directory=str(tmp_path)) as model:
        model.save()
        before, calls, real = sorted(os.listdir(str(tmp_path))), [], getattr(files, operation)

        def fails(*arguments):
            calls.append(arguments)
            if len(calls) == call:
                raise OSError(28, "No space left on device")
            return real(*arguments)

        with monkeypatch.context() as patched:
            patched.setattr(files, operation, fails)
            if operation == "sync_directory" and call == 3:
                model.save()
                return
            with pytest.raises(SaveError, match="step 2 can't be written to .*: No space left on device"):
                model.save()
        if operation == "sync_directory" and call == 2:  # it is visible already
            assert find_newest(str(tmp_path)).step == 2
        else:
            assert sorted(os.listdir(str(tmp_path))) == before and find_newest(str(tmp_path)).step == 1
        assert checkpointed.litter(str(tmp_path)) == ["training.lock"]


def test_values_that_can_not_be_read_back_are_no_checkpoint(tmp_path, monkeypatch):
    with checkpointed.Model(directory=str(tmp_path)) as model:
        model.save()
        save = tf.train.Saver.save

        def truncated(saver, session, path, **options):
            prefix = save(saver, session, path, **options)
            os.truncate(prefix + ".data-00000-of-00001", 30)
            return prefix

        monkeypatch.setattr(tf.train.Saver, "save", truncated)
        with pytest.raises(SaveError, match="step 2 can't be read back after it was written to .*: '.*' can't be read"):
            model.save()
    assert find_newest(str(tmp_path)).step == 1 and checkpointed.litter(str(tmp_path)) == []


def test_errors_that_are_not_of_files_are_raised_as_they_are(tmp_path):
    with checkpointed.Model(directory=str(tmp_path)) as model:
        with tf.Session(graph=model.graph) as empty, pytest.raises(tf.errors.FailedPreconditionError):
            model.store.save(empty, 1)
    assert os.listdir(str(tmp_path)) == []


def session(model, hook, steps):
    """Runs steps in a MonitoredTrainingSession."""
    with model.graph.as_default():
        hooks = [hook, tf.train.StopAtStepHook(last_step=steps)]
        with tf.train.MonitoredTrainingSession(hooks=hooks, scaffold=hook.store.scaffold()) as running:
            while not running.should_stop():
                running.run(model.train_op)


def test_training_stops_at_the_first_failure_if_asked_to(tmp_path):
    directory = str(tmp_path)
    with checkpointed.Model(SIZE, directory, save_steps=2, on_full_disk="stop") as model:
        session(model, CheckpointHook(model.store), 2)
    with checkpointed.Model(SIZE, directory, save_steps=2, on_full_disk="stop") as model, limited_files(100000):
        with pytest.raises(SaveError, match="the checkpoint of step 4 can't be written"):
            session(model, CheckpointHook(model.store), 7)
    assert find_newest(directory)[:2] == (os.path.join(directory, "model.ckpt-2"), 2)
    assert checkpointed.litter(directory) == []


def test_training_continues_with_a_warning_and_saves_when_there_is_space_again(tmp_path):
    directory = str(tmp_path)
    with checkpointed.Model(SIZE, directory, save_steps=2) as model:
        with limited_files(100000), pytest.warns(UserWarning) as warned:
            # Not the last one either: the run fails in the end.
            with pytest.raises(SaveError, match="the checkpoint of step 5 can't be written"):
                session(model, CheckpointHook(model.store), 5)
        texts = [str(each.message) for each in warned if "the checkpoint of step" in str(each.message)]
        assert [text.split(" can't")[0][-1] for text in texts] == ["0", "2", "4", "5"]
        assert texts[0].endswith("; training continues")
    assert find_newest(directory).checkpoint is None and checkpointed.litter(directory) == []
    with checkpointed.Model(SIZE, directory, save_steps=2) as model:
        hook = CheckpointHook(model.store)
        with limited_files(100000), pytest.warns(UserWarning, match="step 0 can't"):
            with model.graph.as_default():
                hook.begin()
            hook.after_create_session(model.session, None)
        model.run(3)
        hook.end(model.session)
    assert checkpointed.step_restored(find_newest(directory).checkpoint) == 3
