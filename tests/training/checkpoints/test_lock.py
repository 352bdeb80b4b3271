"""The lock of a checkpoint directory: one run at a time, unless the other one is dead."""
import json
import os
import re
import socket
import subprocess
import sys

import pytest

from legacy_towers.errors import JobError
from legacy_towers.training.checkpoints.lock import LOCK_FILE, DirectoryLock, _start_of

LINUX = pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="start times of processes are in /proc")


def change(path, **values):
    """Writes other values into a lock, as another run would have written them."""
    with open(path) as file:
        owner = json.load(file)
    with open(path, "w") as file:
        json.dump(dict(owner, **values), file)


@pytest.fixture
def left(tmp_path):
    """A directory with the lock of this process, as if it were another one's; the path of the lock."""
    DirectoryLock(str(tmp_path))
    return str(tmp_path / LOCK_FILE)


def test_a_second_session_of_this_process_is_refused_until_the_first_is_closed(tmp_path):
    first = DirectoryLock(str(tmp_path))
    with pytest.raises(JobError, match="is in use by another session of this process: close it first"):
        DirectoryLock(str(tmp_path))
    first.release()
    first.release()
    assert os.listdir(str(tmp_path)) == []
    second = DirectoryLock(str(tmp_path))
    first.release()  # it has no lock any more
    assert os.listdir(str(tmp_path)) == [LOCK_FILE]
    second.release()


def test_a_live_process_is_named_with_its_host(tmp_path):
    lock = DirectoryLock(str(tmp_path))
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"])
    try:
        change(lock.path, pid=child.pid, start=_start_of(child.pid))
        with pytest.raises(JobError) as refused:
            DirectoryLock(str(tmp_path))
        expected = "{} is in use by process {} on host {}, which started 20".format(
            tmp_path, child.pid, socket.gethostname()
        )
        assert expected in str(refused.value) and "end it first, or use another directory" in str(refused.value)
    finally:
        child.kill()
        child.wait()
    DirectoryLock(str(tmp_path)).release()
    assert os.listdir(str(tmp_path)) == []


@LINUX
@pytest.mark.parametrize("values", [
    {"pid": 2 ** 22 + 1}, {"start": "1"}, {"boot": "another-boot"}, {"namespace": "pid:[1]"},
], ids=["no process", "another process of this number", "restarted host", "container that has ended"])
def test_the_lock_of_a_dead_process_is_replaced(tmp_path, values):
    lock = DirectoryLock(str(tmp_path))
    os.close(lock._handle)  # ends the system lock, as the end of a process does
    lock._handle = None
    change(lock.path, **values)
    DirectoryLock(str(tmp_path)).release()
    assert os.listdir(str(tmp_path)) == []


@LINUX
def test_a_live_process_in_another_container_keeps_its_lock(tmp_path):
    lock = DirectoryLock(str(tmp_path))  # with the system lock
    change(lock.path, namespace="pid:[1]")
    with pytest.raises(JobError, match="in another container: if that run has ended, remove .*training.lock"):
        DirectoryLock(str(tmp_path))
    os.close(lock._handle)


def test_the_lock_of_another_host_is_never_replaced(left):
    change(left, host="other-host", pid=2 ** 22 + 1)
    expected = r"is in use by process \d+ on host other-host, .*: if that run has ended, remove " + re.escape(left)
    with pytest.raises(JobError, match=expected):
        DirectoryLock(os.path.dirname(left))
    os.remove(left)
    DirectoryLock(os.path.dirname(left)).release()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff"])
def test_a_lock_that_was_not_written_to_its_end_is_replaced(tmp_path, content):
    (tmp_path / LOCK_FILE).write_bytes(content)
    DirectoryLock(str(tmp_path)).release()
    assert os.listdir(str(tmp_path)) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_forked_process_does_not_remove_the_lock(tmp_path):
    lock = DirectoryLock(str(tmp_path))
    child = os.fork()
    if not child:
        lock.release()
        os._exit(0)
    os.waitpid(child, 0)
    assert os.listdir(str(tmp_path)) == [LOCK_FILE]
    lock.release()
