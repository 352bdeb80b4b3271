"""A run that is killed at any moment of a save leaves checkpoints that load, and the next run removes the rest."""
import os
import signal

import checkpointed
import preloaded
import processes
import pytest

from legacy_towers.compat import tf
from legacy_towers.training.checkpoints.newest import find_newest
from legacy_towers.training.checkpoints.verify import damage

RUNS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "saving_runs.py")
# A save with one that is removed has fewer operations on files.
OPERATIONS = [str(number) for number in range(1, 45)]
SECONDS = ["{:.3f}s".format(0.02 + 0.057 * number) for number in range(10)]


def check(directory):
    """Checks what is on the disk, continues as the next run does, and returns the step that was found."""
    found = find_newest(directory)
    assert found.damaged == []
    prefixes = [os.path.join(directory, name[: -len(".index")]) for name in os.listdir(directory) if ".index" in name]
    assert [damage(prefix) for prefix in prefixes if damage(prefix)] == []
    named = tf.train.latest_checkpoint(directory)  # a reader that knows nothing of us
    if named is None:  # killed between the first checkpoint of the directory and the file "checkpoint"
        assert found.step == 1 and not os.path.exists(os.path.join(directory, "checkpoint"))
    else:
        assert checkpointed.step_restored(named) in (found.step - 1, found.step)
    if named != found.checkpoint:
        assert checkpointed.step_restored(found.checkpoint) == found.step
    size = tf.train.NewCheckpointReader(found.checkpoint).get_variable_to_shape_map()["w"][0]
    with checkpointed.Model(size, directory, keep=2) as model:
        assert model.store.open().restore(model.session).step == found.step
        assert checkpointed.litter(directory) == ["training.lock"]
        model.save()
    assert checkpointed.litter(directory) == []
    assert find_newest(directory)[1:] == (found.step + 1, [], [])
    assert len([name for name in os.listdir(directory) if name.endswith(".index")]) == 2
    return found.step


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize("kills", [OPERATIONS, SECONDS], ids=["at each operation on files", "at any time"])
def test_a_killed_save_leaves_checkpoints_that_load(tmp_path, kills):
    done = processes.run([preloaded.executable(), RUNS, str(tmp_path)] + kills)
    assert done.returncode == 0, done.stderr
    results = dict(line.split() for line in done.stdout.splitlines())
    assert list(results) == kills
    killed = [when for when in kills if int(results[when]) == signal.SIGKILL]
    if kills is SECONDS:
        assert killed == kills
        # A process that is killed before its first checkpoint is complete leaves none, and no error.
        steps = [check(str(tmp_path / when)) for when in kills if find_newest(str(tmp_path / when)).step is not None]
        assert len(steps) >= 3
        return
    # The last numbers are higher than the operations of a save.
    assert 20 < len(killed) < len(kills) and killed == kills[: len(killed)]
    steps = [check(str(tmp_path / when)) for when in killed]
    assert steps == sorted(steps) and steps[0] == 3 and steps[-1] == 4
