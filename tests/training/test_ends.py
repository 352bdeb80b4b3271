"""What a run leaves in its process and its directory: nothing, with each input pipeline, however it ends."""
import os
import threading

import pytest
import small_pipelines
import waiting

import legacy_towers as lt
from legacy_towers.compat import tf


def children():
    """Returns the identifiers of the processes that this process has started and not waited for."""
    found = set()
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/{}/stat".format(name)) as source:
                    parent = source.read().rpartition(")")[2].split()[1]
            except OSError:  # it has ended meanwhile
                continue
            if int(parent) == os.getpid():
                found.add(int(name))
    return found


def run(name, directory, fails):
    """Runs a pipeline of two epochs to its end, or to an error after the second step; returns the number of steps."""
    steps = 0
    with tf.Graph().as_default():
        step = small_pipelines.build(name, 2)
        with lt.training.session(step, directory, config=small_pipelines.CONFIG) as session:
            while not session.should_stop():
                session.run(step.train_op)
                steps += 1
                if fails and steps == 2:
                    raise ZeroDivisionError
    return steps


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="processes are read from /proc")
@pytest.mark.parametrize("name", small_pipelines.NAMES)
def test_no_thread_no_process_and_no_lock_is_left(name, tmp_path):
    threads, processes = threading.enumerate(), children()
    assert run(name, str(tmp_path / "ended"), fails=False) == 4
    with pytest.raises(ZeroDivisionError):
        run(name, str(tmp_path / "failed"), fails=True)
    assert waiting.threads_since(threads) == []
    assert children() <= processes
    for directory in ("ended", "failed"):
        left = os.listdir(str(tmp_path / directory))
        assert not [each for each in left if "lock" in each or each.startswith(".") or "tmp" in each], left
        assert "model.ckpt-0.index" in left and ("model.ckpt-4.index" in left) == (directory == "ended")
