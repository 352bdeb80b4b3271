"""The lock of a checkpoint directory: one run at a time writes there."""
import contextlib
import json
import os
import socket
import time
from typing import Any, Dict, Iterator, Optional

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

from legacy_towers.errors import JobError
from legacy_towers.training.checkpoints import files

LOCK_FILE = "training.lock"


class DirectoryLock:
    """The lock of a directory, as a file that names its run: host, process, and start time of the process.

    A run that died leaves the file. It is replaced if its process does not exist any more: on this host, by the number
    and the start time of the process, so that another process of the same number does not count, or by the system lock
    on the file, which Linux ends with its process, in another container too. Whether a process on another host is alive
    can't be known here.

    Args:
      directory: a directory that exists.

    Raises:
      JobError: another run has the lock.
    """

    def __init__(self, directory: str) -> None:
        self.path = os.path.join(directory, LOCK_FILE)
        self._owner = _this_process()
        self._handle: Optional[int] = None
        with _exclusive(directory):
            problem = self._problem()
            if problem:
                raise JobError("{} is in use by {}".format(directory, problem))
            self._write()

    def release(self) -> None:
        """Removes the lock, unless that has been done; a lock that another run has taken since then stays."""
        handle, self._handle = self._handle, None
        # A process that was forked from this one has a copy of this object.
        if self._owner.get("pid") == os.getpid() and _read(self.path) == self._owner:
            files.remove(self.path)
        self._owner = {}
        if handle is not None:
            os.close(handle)

    def _problem(self) -> str:
        """Returns who has the lock, and what to do; "" if nobody who is alive has it."""
        owner = _read(self.path)
        if owner is None:
            return ""
        described = "process {} on host {}, which started {}".format(
            owner.get("pid"), owner.get("host"), owner.get("started_at")
        )
        advice = "if that run has ended, remove {}".format(self.path)
        if owner.get("host") != self._owner["host"]:
            return "{}: {}".format(described, advice)
        if owner.get("boot") != self._owner["boot"]:
            return ""  # this host has been restarted since
        if owner.get("namespace") == self._owner["namespace"]:
            if _start_of(owner.get("pid")) != owner.get("start"):
                return ""
            if owner.get("pid") == os.getpid():
                return "another session of this process: close it first, or use another directory"
            return "{}: end it first, or use another directory".format(described)
        return "{}, in another container: {}".format(described, advice) if _is_locked(self.path) else ""

    def _write(self) -> None:
        if files.is_remote(self.path):
            files.write(self.path, _text(self._owner))
            return
        new = "{}.{}".format(self.path, os.getpid())
        self._handle = os.open(new, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o666)
        try:
            os.write(self._handle, _text(self._owner))
            if fcntl is not None:
                with contextlib.suppress(OSError):  # a file system without locks
                    fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.replace(new, self.path)
        except BaseException:
            files.remove(new)
            raise


def _this_process() -> Dict[str, Any]:
    return {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "start": _start_of(os.getpid()),
        "boot": _line("/proc/sys/kernel/random/boot_id"),
        "namespace": _namespace(),
        "started_at": time.strftime("%Y-%m-%d %H:%M:%S"),
    }


def _start_of(pid: Any) -> Optional[str]:
    """Returns when a process started, in some unit; None if there is no such process."""
    stat = _line("/proc/{}/stat".format(pid))
    if stat is not None:
        fields = stat.rpartition(")")[2].split()  # the name of the program, in brackets, can have spaces
        return None if fields[0] in "ZX" else fields[19]  # a zombie is dead
    if os.path.exists("/proc/self/stat"):
        return None
    try:
        import psutil  # other systems than Linux

        return str(psutil.Process(pid).create_time())
    except ImportError:
        return "unknown"  # without psutil the owner counts as alive: the message says how to remove the lock
    except Exception:  # no such process
        return None


def _namespace() -> Optional[str]:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return None


def _line(path: str) -> Optional[str]:
    try:
        with open(path, errors="replace") as source:
            return source.read().strip()
    except OSError:
        return None


def _read(path: str) -> Optional[Dict[str, Any]]:
    """Returns the owner of a lock; None if there is no lock, or one that was not written to its end."""
    if not files.exists(path):
        return None
    try:
        owner = json.loads(files.read(path).decode("utf-8"))
    except (ValueError, OSError, RecursionError):  # the latter for JSON that is nested too deeply
        return None
    return owner if isinstance(owner, dict) else None


def _text(owner: Dict[str, Any]) -> bytes:
    return (json.dumps(owner, sort_keys=True) + "\n").encode("utf-8")


def _is_locked(path: str) -> bool:
    """Returns whether a process of this machine holds the system lock of a file."""
    if fcntl is None:
        return True
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except OSError:
        return True
    finally:
        os.close(handle)


@contextlib.contextmanager
def _exclusive(directory: str) -> Iterator[None]:
    """Returns a context manager that one process of this machine at a time is inside of, for a directory."""
    if fcntl is None or files.is_remote(directory):
        yield
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
